"""An atlas on many machines: `python atlas.py HEAPS TABLE.csv [SCHEDULER]`.

Without a scheduler two processes of this machine work. A run that is stopped goes on with its
table.
"""

from __future__ import annotations

import sys
from typing import Any

from dask.distributed import Client, LocalCluster

from nimrule import distributed


def main(heaps: int, table: str, scheduler: str | None = None) -> None:
    """Print the rows as they are found."""
    cluster: Any = scheduler or LocalCluster(n_workers=2, threads_per_worker=1)
    with Client(cluster) as client:
        for row in distributed.atlas(heaps, client, output=table):
            print(row["number"], " ".join(row["faces"]), row["standing"], row["form"] or "")


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:4])
