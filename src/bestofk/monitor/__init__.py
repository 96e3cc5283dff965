"""Looking while the search runs, with statements that hold at every moment.

schedule.py  Schedule: at how many trials the monitor looks, and what each look may spend
rules.py     StopWhen: when to stop, stated before the data
common.py    what the bands of all looks at one method say together
track.py     Snapshot and Track: one method's trials so far and its looks
verdict.py   who beats whom, and whether a rule is met, from the bands of one moment
status.py    MonitorBand and MonitorStatus: what is certified now
watch.py     Monitor
"""

from bestofk.monitor.rules import StopWhen as StopWhen
from bestofk.monitor.schedule import Schedule as Schedule
from bestofk.monitor.status import MonitorBand as MonitorBand
from bestofk.monitor.status import MonitorStatus as MonitorStatus
from bestofk.monitor.watch import Monitor as Monitor
