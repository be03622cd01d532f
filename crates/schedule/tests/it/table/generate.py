"""Writes cases.json: moments of rules as python-dateutil and zoneinfo calculate them.

A second implementation of `crates/schedule/src/times`. To repeat it:
    pip install python-dateutil tzdata && python generate.py > cases.json
"""

import bisect
import functools
import itertools
import json
import sys
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr

MOMENTS = 8
ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "America/Sao_Paulo"]
# Starts and, for each, moments to ask from: around clock changes, month ends, leap days, years later.
RULES = [
    ("FREQ=DAILY", "2024-03-09T02:30:00"),
    ("FREQ=DAILY", "2024-10-20T02:30:00"),
    ("FREQ=DAILY;INTERVAL=3", "2015-01-01T02:15:00"),
    ("FREQ=DAILY;BYHOUR=1,2,3;BYMINUTE=0,45", "2024-03-01T00:00:00"),
    ("FREQ=DAILY;INTERVAL=2;BYHOUR=2;BYMINUTE=30;UNTIL=20241103T070000Z", "2024-10-20T00:00:00"),
    ("FREQ=DAILY;COUNT=5", "2024-03-29T02:30:00"),
    ("FREQ=DAILY;UNTIL=20240331", "2024-03-28T02:30:00"),
    ("FREQ=WEEKLY", "2023-12-31T07:00:00"),
    ("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "2024-01-01T07:00:00"),
    ("FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO;WKST=SU", "2020-02-02T02:30:00"),
    ("FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO;WKST=MO", "2020-02-02T02:30:00"),
    ("FREQ=WEEKLY;INTERVAL=3;BYDAY=FR;COUNT=7", "2024-02-23T23:30:00"),
    ("FREQ=MONTHLY", "2020-01-31T09:00:00"),
    ("FREQ=MONTHLY;BYMONTHDAY=31", "2023-12-31T00:00:00"),
    ("FREQ=MONTHLY;BYMONTHDAY=-1", "2016-01-15T02:30:00"),
    ("FREQ=MONTHLY;BYMONTHDAY=29,30", "2024-01-01T12:00:00"),
    ("FREQ=MONTHLY;INTERVAL=2;BYDAY=-1MO", "2021-10-25T14:00:00"),
    ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "2022-01-01T17:00:00"),
    ("FREQ=MONTHLY;BYDAY=2SU;BYHOUR=2;BYMINUTE=30", "2019-01-01T00:00:00"),
    ("FREQ=MONTHLY;INTERVAL=5;BYMONTHDAY=15", "2010-03-15T06:00:00"),
    ("FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", "2000-01-01T08:00:00"),
    ("FREQ=YEARLY", "2000-02-29T10:00:00"),
    ("FREQ=YEARLY", "2000-03-01T02:30:00"),
    ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", "2096-01-01T10:00:00"),
    ("FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU;BYHOUR=2;BYMINUTE=30", "2010-01-01T00:00:00"),
    ("FREQ=YEARLY;BYWEEKNO=1,53;BYDAY=MO", "2009-01-01T05:00:00"),
    ("FREQ=YEARLY;BYYEARDAY=1,60,366", "2011-01-01T03:00:00"),
    ("FREQ=YEARLY;INTERVAL=2;BYMONTH=1,6;BYDAY=1MO", "2001-01-01T07:30:00"),
    ("FREQ=YEARLY;BYDAY=20MO", "2003-01-01T07:30:00"),
    ("FREQ=HOURLY", "2024-01-01T00:30:00"),
    ("FREQ=HOURLY;INTERVAL=5", "2021-06-01T01:15:00"),
    ("FREQ=HOURLY;BYDAY=SU;BYMINUTE=0,30", "2024-01-01T00:00:00"),
    ("FREQ=MINUTELY;INTERVAL=20", "2024-09-01T00:05:00"),
    ("FREQ=MINUTELY;INTERVAL=15;BYHOUR=1,2,3", "2024-03-01T00:00:00"),
]
CRON = [
    "0 7 * * 1-5", "30 2 * * *", "0,45 1,2,3 * * *", "*/20 * * * *", "15 */6 * * *", "0 0 29 2 *", "0 12 31 * *",
    "30 2 * 3,10,11 0", "0 9 13 * 5", "59 23 28-31 * *", "0 0 1 1 *", "5 4 * * sun", "0 22 * * mon-fri/2",
    "10-50/20 2 * * *", "0 6 1,15 jan-jun *",
]
ASKED = [
    "2023-12-30T12:00:00", "2024-02-28T23:59:00", "2024-03-09T20:00:00", "2024-03-10T06:59:59", "2024-03-30T23:00:00",
    "2024-03-31T00:59:00", "2024-04-06T14:00:00", "2024-10-05T15:00:00", "2024-10-26T22:00:00", "2024-10-27T00:30:00",
    "2024-11-03T05:15:00", "2024-12-31T23:59:59", "2011-12-29T10:00:00", "2018-02-17T20:00:00", "2018-11-03T12:00:00",
    "2026-07-01T00:00:00",
]
LAST = datetime(2026, 7, 2)
DAYS = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"]
MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]


def instants(zone, naive, frequent):
    """The moments of a time on the clock."""
    first = naive.replace(tzinfo=zone, fold=0)
    second = naive.replace(tzinfo=zone, fold=1)
    both = [first.astimezone(timezone.utc), second.astimezone(timezone.utc)]
    shown = both[0].astimezone(zone).replace(tzinfo=None)
    if not frequent:
        # zoneinfo reads a skipped time with the offset before the change, that is, later.
        return both[:1]
    if shown != naive:
        return []
    return sorted(set(both))


def moments(naive_times, zone, after, frequent, until=None):
    """The first moments later than `after`, of times on the clock in order."""
    found = set()
    enough = None
    for naive in naive_times:
        # Clocks have jumped by up to a day, so times a little later may come first.
        if enough and naive > enough + timedelta(days=2):
            break
        if until and naive > until.replace(tzinfo=None) + timedelta(days=3):
            break
        for moment in instants(zone, naive, frequent):
            if moment > after and (until is None or moment <= until):
                found.add(moment)
        if not enough and len(found) >= MOMENTS:
            enough = naive
    return [int(moment.timestamp()) for moment in sorted(found)[:MOMENTS]]


@functools.cache
def listed(text, start):
    """The times of a rule on the clock, long enough for every moment that is asked from."""
    times = []
    beyond = 0
    for time in rrulestr(text, dtstart=datetime.fromisoformat(start)):
        times.append(time)
        beyond += time > LAST
        if beyond > 200 or (beyond > 30 and time > LAST + timedelta(days=5)):
            break
    return times


def near(times, after, zone):
    begin = after.astimezone(zone).replace(tzinfo=None) - timedelta(days=3)
    return times[bisect.bisect_left(times, begin):]


def rrule_case(text, start, zone_name, asked):
    zone = ZoneInfo(zone_name)
    after = datetime.fromisoformat(asked).replace(tzinfo=timezone.utc)
    until = None
    plain = text
    if "UNTIL" in text:
        plain, end = text.split(";UNTIL=")
        if end.endswith("Z"):
            until = datetime.strptime(end, "%Y%m%dT%H%M%SZ").replace(tzinfo=timezone.utc)
        else:
            # A whole day, on the clock of the place.
            plain = f"{plain};UNTIL={end}T235959"
    frequent = "HOURLY" in text or "MINUTELY" in text
    expected = moments(near(listed(plain, start), after, zone), zone, after, frequent, until)
    return {"rrule": text, "start": start, "zone": zone_name, "after": int(after.timestamp()), "moments": expected}


def field(text, first, last, names=(), name_base=0):
    values = set()
    for part in text.upper().split(","):
        part, _, step = part.partition("/")
        for index, name in enumerate(names):
            part = part.replace(name, str(index + name_base))
        if part == "*":
            low, high = first, last
        elif "-" in part:
            low, high = map(int, part.split("-"))
        else:
            low = int(part)
            high = last if step else low
        values.update(range(low, high + 1, int(step or 1)))
    return sorted(values)


def cron_case(text, zone_name, asked):
    zone = ZoneInfo(zone_name)
    after = datetime.fromisoformat(asked).replace(tzinfo=timezone.utc)
    minute, hour, day, month, weekday = text.split()
    parts = {
        "FREQ": "DAILY",
        "BYMINUTE": field(minute, 0, 59),
        "BYHOUR": field(hour, 0, 23),
        "BYMONTH": field(month, 1, 12, MONTHS, 1),
    }
    days = {"BYMONTHDAY": field(day, 1, 31)}
    weekdays = {"BYDAY": sorted({DAYS[value % 7] for value in field(weekday, 0, 7, ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"])})}
    if day.startswith("*") or weekday.startswith("*"):
        rules = [parts | days | weekdays]
    else:
        rules = [parts | days, parts | weekdays]
    times = set()
    for rule in rules:
        written = {name: value if name == "FREQ" else ",".join(map(str, value)) for name, value in rule.items()}
        joined = ";".join(f"{name}={value}" for name, value in written.items())
        times.update(near(listed(joined, "2011-01-01T00:00:00"), after, zone))
    expected = moments(sorted(times), zone, after, hour.startswith("*"))
    return {"cron": text, "zone": zone_name, "after": int(after.timestamp()), "moments": expected}


def main():
    cases = []
    for number, ((text, start), zone) in enumerate(itertools.product(RULES, ZONES)):
        asked = [moment for index, moment in enumerate(ASKED) if (index + number) % 3 == 0]
        if start > "2090":
            asked = ["2095-06-01T00:00:00", "2097-01-01T00:00:00"]
        cases += [rrule_case(text, start, zone, moment) for moment in asked]
    for number, (text, zone) in enumerate(itertools.product(CRON, ZONES)):
        cases += [cron_case(text, zone, moment) for index, moment in enumerate(ASKED) if (index + number) % 2 == 0]
    sys.stdout.write("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")


main()
