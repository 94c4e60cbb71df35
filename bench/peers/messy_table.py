"""A messy table for dl4go train and scikit-learn: dates, rare categories, and 20 % of all features missing.

    messy_table.py DIR        writes DIR/train.csv (3,200 rows) and DIR/test.csv (800 rows), the same ones each time
    messy_table.py DIR SEED…  prints the accuracy of scikit-learn's MLP on them, with its usual preprocessing
"""
import csv
import datetime
import math
import os
import random
import sys
import warnings

COLUMNS = ["age", "income", "visits", "temper", "city", "plan", "joined", "member", "segment"]
CITIES = [f"city{i:02d}" for i in range(40)]


def rows(count):
    draw = random.Random(7)
    shares = [1 / (i + 1) ** 1.3 for i in range(len(CITIES))]
    effect = {city: draw.gauss(0, 1) for city in CITIES}
    for _ in range(count):
        age, income = draw.gauss(45, 12), math.exp(draw.gauss(8, 0.6))
        visits, temper = draw.randint(0, 20), draw.gauss(0, 1)
        city = draw.choices(CITIES, shares)[0]
        plan = draw.choices(["basic", "plus", "pro"], [5, 3, 2])[0]
        joined = datetime.date(2023, 1, 1) + datetime.timedelta(days=draw.randint(0, 700))
        member = draw.random() < 0.5
        score = 0.08 * (age - 45) + 1.2 * math.log(income / 3000) + 0.8 * math.sin(1.5 * temper) + effect[city]
        score += {"basic": -0.8, "plus": 0.2, "pro": 1.0}[plan] + 0.1 * (visits - 10) * temper
        score += 0.6 * math.cos(2 * math.pi * joined.timetuple().tm_yday / 365) + (0.5 if member else 0)
        score += draw.gauss(0, 0.5)
        segment = "low" if score < -0.6 else "mid" if score < 1 else "high"
        values = [f"{age:.1f}", f"{income:.2f}", visits, f"{temper:.3f}", city, plan, joined.isoformat(),
                  "yes" if member else "no"]
        yield ["" if draw.random() < 0.2 else v for v in values] + [segment]


def write(directory):
    table = list(rows(4000))
    for name, part in ("train", table[:3200]), ("test", table[3200:]):
        with open(os.path.join(directory, name + ".csv"), "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(COLUMNS)
            writer.writerows(part)


def scores(directory, seeds):
    import pandas
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    warnings.simplefilter("ignore")  # of convergence
    train, test = (pandas.read_csv(os.path.join(directory, name + ".csv")) for name in ("train", "test"))
    for table in train, test:
        joined = pandas.to_datetime(table.joined)
        table["year"], table["month"], table["day"] = joined.dt.year, joined.dt.month, joined.dt.day
    numbers = ["age", "income", "visits", "temper", "year", "month", "day"]
    categories = ["city", "plan", "member"]
    for early in False, True:
        for seed in seeds:
            columns = ColumnTransformer([
                ("numbers", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), numbers),
                ("categories", make_pipeline(SimpleImputer(strategy="most_frequent"),
                                             OneHotEncoder(handle_unknown="ignore")), categories)])
            model = make_pipeline(columns, MLPClassifier(random_state=seed, max_iter=500, early_stopping=early))
            model.fit(train, train.segment)
            print(f"seed {seed}{', early stopping' if early else ''}: {model.score(test, test.segment):.4f}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if len(sys.argv) == 2:
        write(sys.argv[1])
    else:
        scores(sys.argv[1], [int(seed) for seed in sys.argv[2:]])
