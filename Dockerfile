# The page of `bestofk serve`, run by a user without rights.
#
#   docker build --tag bestofk .
#   docker run --rm --hostname localhost --publish 127.0.0.1:8765:8765 bestofk
#   docker run --rm --hostname localhost --publish 127.0.0.1:8765:8765 \
#       --volume "$PWD:/data:ro" bestofk /data/runs.db
#
# Open the address that is printed. Without a file, it shows the searches of `bestofk demo`.
FROM python:3.13-slim AS build
WORKDIR /source
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src ./src
RUN python -m venv /opt/bestofk \
    && /opt/bestofk/bin/pip install --no-cache-dir --constraint constraints.txt ".[show,search]"

FROM python:3.13-slim
COPY --from=build /opt/bestofk /opt/bestofk
ENV PATH=/opt/bestofk/bin:$PATH MPLCONFIGDIR=/tmp/matplotlib PYTHONUNBUFFERED=1
RUN useradd --create-home --uid 1000 bestofk
USER 1000
WORKDIR /home/bestofk
RUN bestofk demo
EXPOSE 8765
ENTRYPOINT ["bestofk", "serve", "--host", "0.0.0.0", "--port", "8765"]
CMD ["bestofk-demo/bestofk.db"]
