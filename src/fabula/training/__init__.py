"""Training: examples to tensors, one loop for every model, checkpoints that resume exactly.

    data.py      instances as examples, words and answers as numbers, ragged stories as batches
    model.py     what a model is: sizes, one forward, and how its paper trains it
    course.py    which examples come when, and at what learning rate
    team.py      several processes that train one model together
    loop.py      the loop: phases, schedule, clipping, validation, early stopping, checkpoints
    runs.py      several restarts side by side; mean, deviation and best

Needs PyTorch: pip install 'fabula[train]'.
"""
