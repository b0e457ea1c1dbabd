"""Processor and wall-clock time of a part of a program, including children that have ended."""
import json, resource, time


def used():
    a, b = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return a.ru_utime + a.ru_stime + b.ru_utime + b.ru_stime


class Clock:
    def __init__(self):
        self.cpu, self.wall = used(), time.time()

    def report(self, **more):
        print(json.dumps(dict(cpu=used() - self.cpu, wall=time.time() - self.wall, **more)))
