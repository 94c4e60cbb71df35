"""ddp.py on a Spark cluster by TorchDistributor: its whole command, with a session of its own.

    python bench/peers/spark_ddp.py sc://HOST:PORT WORKERS MODEL EPOCHS DIR

The Connect server and the executors need this Python as PYSPARK_PYTHON. Executors read DIR themselves.
"""
import os
import sys

from pyspark.ml.torch.distributor import TorchDistributor
from pyspark.sql import SparkSession


def main():
    spark = SparkSession.builder.remote(sys.argv[1]).getOrCreate()
    train = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ddp.py")
    distributor = TorchDistributor(num_processes=int(sys.argv[2]), local_mode=False, use_gpu=False)
    distributor.run(train, *sys.argv[3:])
    spark.stop()


main()
