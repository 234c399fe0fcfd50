"""Colours and dashes of the gallery's pictures, which colour-blind readers tell apart as well."""

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""The palette of Okabe and Ito, without black and yellow."""

DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)))
"""A line style for each colour."""


def apply(gallery_conf: object, fname: str) -> None:
    """Set the cycle of colours and dashes before each example."""
    import matplotlib.pyplot as plt
    from cycler import cycler

    plt.rcParams["axes.prop_cycle"] = cycler(color=COLORS) + cycler(linestyle=DASHES)
