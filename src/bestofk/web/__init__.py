"""The local page: reads searches and shows them, on this machine, without the network.

shelf.py    the searches that are served, read again when they change
guard.py    who may ask: hosts, token, methods, sizes, and the headers of every answer
request.py  from an address to a view
routes.py   pages, their .json twins and downloads: find, build, render
events.py   the live page's stream of server-sent events
server.py   the application, and running it
"""
