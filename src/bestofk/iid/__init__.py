"""Are the trials independent draws from one search distribution?  What the data can tell.

check.py      `check_iid` and what it returns
evidence.py   the single tests: what is compared with chance, and how the outcome reads
"""

from bestofk.iid.check import IIDCheck as IIDCheck
from bestofk.iid.check import check_iid as check_iid
