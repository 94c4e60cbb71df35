"""Messy tables for dl4go train and scikit-learn: an identifier, a constant, dates, rare categories, truth values,
and 20 % of all features missing.

    messy_table.py DIR        writes DIR/train.csv (3,200 rows) and DIR/test.csv (800 rows) with the classes "segment", and
                              DIR/spend-train.csv and DIR/spend-test.csv with the number "spend"; the same ones each time
    messy_table.py DIR SEED…  prints the accuracy and R² of scikit-learn's MLPs on them, with its usual preprocessing
"""
import csv
import datetime
import math
import os
import random
import sys
import warnings

COLUMNS = ["id", "age", "income", "visits", "temper", "city", "plan", "joined", "member", "source"]
CITIES = [f"city{i:02d}" for i in range(40)]


def rows(count):
    """Gives the features of each row, its class and its number."""
    draw = random.Random(7)
    shares = [1 / (i + 1) ** 1.3 for i in range(len(CITIES))]
    effect = {city: draw.gauss(0, 1) for city in CITIES}
    for row in range(count):
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
        values = [f"c-{100_003 * row % 999_983:06d}"] + ["" if draw.random() < 0.2 else v for v in values] + ["web"]
        yield values, segment, f"{100 + 25 * score:.2f}"


def write(directory):
    table = list(rows(4000))
    for name, part in ("train", table[:3200]), ("test", table[3200:]):
        for prefix, label, k in ("", "segment", 1), ("spend-", "spend", 2):
            with open(os.path.join(directory, prefix + name + ".csv"), "w", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(COLUMNS + [label])
                writer.writerows(row[0] + [row[k]] for row in part)


def read(directory, name):
    import pandas

    table = pandas.read_csv(os.path.join(directory, name + ".csv"))
    joined = pandas.to_datetime(table.joined)
    table["year"], table["month"], table["day"] = joined.dt.year, joined.dt.month, joined.dt.day
    return table


def prepared(model):
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers = ["age", "income", "visits", "temper", "year", "month", "day"]
    categories = ["city", "plan", "member"]
    columns = ColumnTransformer([
        ("numbers", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), numbers),
        ("categories", make_pipeline(SimpleImputer(strategy="most_frequent"),
                                     OneHotEncoder(handle_unknown="ignore", min_frequency=10)), categories)])
    return make_pipeline(columns, model)


def scores(directory, seeds):
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.neural_network import MLPClassifier, MLPRegressor
    from sklearn.preprocessing import StandardScaler

    warnings.simplefilter("ignore")  # of convergence
    for early in False, True:
        for prefix, label in ("", "segment"), ("spend-", "spend"):
            train, test = read(directory, prefix + "train"), read(directory, prefix + "test")
            for seed in seeds:
                if label == "segment":
                    model = MLPClassifier(random_state=seed, max_iter=500, early_stopping=early)
                else:
                    model = TransformedTargetRegressor(
                        MLPRegressor(random_state=seed, max_iter=500, early_stopping=early), transformer=StandardScaler())
                model = prepared(model).fit(train, train[label])
                print(f"{label}, seed {seed}{', early stopping' if early else ''}: {model.score(test, test[label]):.4f}",
                      flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if len(sys.argv) == 2:
        write(sys.argv[1])
    else:
        scores(sys.argv[1], [int(seed) for seed in sys.argv[2:]])
