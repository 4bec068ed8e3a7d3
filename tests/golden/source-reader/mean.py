"""The mean of <numbers>,

as a program.
"""


def mean(numbers):
    # step: total — add & remember
    total = sum(numbers)

    # step: mean — divide by how many there are
    return total / len(numbers)   # not "‮yllautca"
