"""Writes spec/time/oracle.txt: what clocks and calendars of several zones come to, by Python's zoneinfo and datetime.

python3 spec/time/oracle.py > spec/time/oracle.txt

"add": a zone, a time, a duration, and the time plus once, twice, thrice the duration.
"cron": a zone, a cron expression, a time, and when the expression fires in the 60 hours from then on.
"""
from calendar import monthrange
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

UTC = timezone.utc
ZONES = {  # a day before each change of the clocks; a zone without changes has ordinary days
    "Europe/Berlin": ["2026-03-28", "2026-10-24"],
    "America/New_York": ["2026-03-07", "2026-10-31"],
    "Australia/Sydney": ["2026-04-04", "2026-10-03"],
    "Australia/Lord_Howe": ["2026-04-04", "2026-10-03"],
    "America/Sao_Paulo": ["2018-02-17", "2018-11-03"],
    "Pacific/Apia": ["2011-12-29", "2012-03-31"],
    "Asia/Kolkata": ["2026-03-28", "2026-10-24"],
    "UTC": ["2026-01-31", "2026-03-28"],
}
CLOCKS = ["00:00", "02:30", "08:00"]
PERIODS = {  # months, days, minutes
    "P1D": (0, 1, 0), "P1W": (0, 7, 0), "P1M": (1, 0, 0), "P1Y": (12, 0, 0), "P1DT12H": (0, 1, 720),
    "PT24H": (0, 0, 1440), "P1M1D": (1, 1, 0), "-P1D": (0, -1, 0),
}


def exists(local, zone):
    return local.replace(tzinfo=zone).astimezone(UTC).astimezone(zone).replace(tzinfo=None) == local


def instant(local, zone):
    """The earlier one of two; of a local time that the clocks skip, when they have skipped it."""
    while not exists(local, zone):
        local += timedelta(minutes=1)
    return local.replace(tzinfo=zone, fold=0).astimezone(UTC)


def add(time, zone, period, n):
    months, days, minutes = (part * n for part in PERIODS[period])
    if months or days:
        local = time.astimezone(zone).replace(tzinfo=None)
        index = local.year * 12 + local.month - 1 + months
        year, month = index // 12, index % 12 + 1
        local = local.replace(year=year, month=month, day=min(local.day, monthrange(year, month)[1]))
        time = instant(local + timedelta(days=days), zone)
    return time + timedelta(minutes=minutes)


def text(time):
    return time.strftime("%Y-%m-%dT%H:%MZ")


# Each with what fits, and whether it goes on through an hour that comes twice.
CRON = {
    "0 30 2 * * ?": (lambda t: (t.hour, t.minute) == (2, 30), False),
    "0 45 1 * * ?": (lambda t: (t.hour, t.minute) == (1, 45), False),
    "0 0 0 * * ?": (lambda t: (t.hour, t.minute) == (0, 0), False),
    "0 15 1,2 * * ?": (lambda t: t.hour in (1, 2) and t.minute == 15, False),
    "0 0 8 * * ?": (lambda t: (t.hour, t.minute) == (8, 0), False),
    "0 0 * * * ?": (lambda t: t.minute == 0, True),
    "0 30 0/2 * * ?": (lambda t: t.hour % 2 == 0 and t.minute == 30, True),
    "0 10 1-3/2 * * ?": (lambda t: t.hour in (1, 3) and t.minute == 10, True),
    "0 0/20 1,2 * * ?": (lambda t: t.hour in (1, 2) and t.minute % 20 == 0, True),
}


def firings(cron, zone, begin):
    """Minute by minute: a local time that the clocks skip fires when they have skipped it."""
    fits, goes_on = CRON[cron]
    fired, latest = [], None
    for minute in range(60 * 60):
        time = begin + timedelta(minutes=minute)
        local = time.astimezone(zone).replace(tzinfo=None)
        fresh = latest is None or local > latest
        hit = fits(local) and (fresh or goes_on)
        if fresh and latest:
            skipped = latest + timedelta(minutes=1)
            while previous + timedelta(minutes=1) < local and skipped < local:
                hit = hit or fits(skipped)
                skipped += timedelta(minutes=1)
        if fresh:
            latest = local
        previous = local
        if hit:
            fired.append(text(time))
    return fired


for name, days in ZONES.items():
    zone = ZoneInfo(name)
    for day in days:
        for clock in CLOCKS:
            start = instant(datetime.fromisoformat(f"{day}T{clock}"), zone)
            for period in PERIODS:
                print("add", name, text(start), period, *(text(add(start, zone, period, n)) for n in (1, 2, 3)), sep="|")
        begin = instant(datetime.fromisoformat(day), zone)
        for cron in CRON:
            print("cron", name, cron, text(begin), *firings(cron, zone, begin), sep="|")
