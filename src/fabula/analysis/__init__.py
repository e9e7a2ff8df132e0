"""Analysis: what can be said about data without a model.

verify.py     proves every record again, from its text
audits/       judges published data
baselines.py  what trivial baselines get
leak/         how much of a test set is in the training set
stats.py      what a data set consists of; charts.py as a picture, tables.py the columnar engine
diff.py       what changed between two data sets
rewrites/     the same question about another story
show.py, gallery.py   instances for people to read

May import: everything up to datasets.
"""
