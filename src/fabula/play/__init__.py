"""The world to walk through: a text adventure over the simulator of the actor world.

    > john get apple
    1 John took the apple.
    > john go garden
    2 John went to the garden.
    > where is the apple
    garden
    It follows from:
      1 John took the apple.
      2 John went to the garden.

Three things are kept apart, as everywhere in Fabula. The *simulation* knows what is so, refuses
what is impossible and lets the rest happen. What happens is *told*, in the sentences of the actor
world's language. The *reader* hears these sentences and nothing else, and answers by them: what a
player has only seen ('look', 'examine') is not part of the story.

worldfile   a world as data: places and ways, people, things, needs
simulation  the stage of the actor world, with a map, sizes, colours, states and needs
behaviour   what people do on their own: what they need, else anything possible
commands    what a typed line means
session     one game: commands happen and are told, questions are answered with their proof
script      a file of commands becomes stories and questions in any format
console     the game in a terminal
"""
