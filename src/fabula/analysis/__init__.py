"""Analysis of data without a model.

    verify.py     proves every record again, from its text
    audits/       check the labels of published data
    baselines.py  accuracy of trivial baselines
    leak/         how much of a test set occurs in the training set
    stats.py      statistics; charts.py draws them, tables.py is the columnar engine
    diff.py       differences between two data sets
    rewrites/     the same question about another story
    show.py, gallery.py   instances for people to read

May import: everything up to datasets.
"""
