"""Say what became of the inputs."""

import resource


def report(tries):
    """Print one line of counts, and one for each fault."""
    counts = tries.counts
    print(f"{tries.kind.name:20} {counts.total():7} inputs {counts['page']:7} pages "
          f"{counts['problems']:7} problems {counts['faults']:5} faults", flush=True)
    for fault in tries.faults:
        print(f"    {fault}", flush=True)


def finish(done):
    """Print the sums of several Tries; return the exit status."""
    count = sum(tries.counts.total() for tries in done)
    faults = sum(tries.counts["faults"] for tries in done)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{count} inputs, {faults} faults; at most {peak:.0f} MB of memory")
    return 1 if faults else 0
