"""Trees: nested containers of arrays."""

import pickle
from collections import OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass, field

import pytest

import gnomon as gn

Point = namedtuple("Point", "x y")


@dataclass(frozen=True)
class Layer:
    w: object
    b: object
    name: str = field(default="layer", metadata={"static": True})

    def __post_init__(self):
        if isinstance(self.w, str):
            raise AssertionError("rebuilding must not check leaves")


@dataclass(slots=True)
class Slotted:
    a: object
    b: object


class Pair:
    def __init__(self, first, second, tag):
        self.first, self.second, self.tag = first, second, tag


gn.tree.register(Pair, lambda p: ((p.first, p.second), p.tag), lambda tag, c: Pair(*c, tag))

TREES = [
    1,
    None,
    [],
    (),
    {},
    [1, [2, (3, None)], {"a": 4}],
    {"b": 1, "a": [2, 3]},
    Point(1, (2, 3)),
    OrderedDict(z=1, a=2),
    Slotted([1], 2),
    Layer(1, {"k": 2}, "first"),
]


@pytest.mark.parametrize("tree", TREES, ids=repr)
def test_a_tree_is_its_leaves_and_its_structure(tree):
    leaves, structure = gn.tree.flatten(tree)
    again = gn.tree.unflatten(structure, leaves)
    assert again == tree
    assert type(again) is type(tree)
    assert structure == gn.tree.structure(again)
    assert hash(structure) == hash(gn.tree.structure(again))
    assert structure.count == len(leaves)


def test_leaves_come_in_the_order_of_the_containers():
    assert gn.tree.leaves({"b": [1, 2], "a": (3, None, {"x": 4})}) == [1, 2, 3, 4]
    assert gn.tree.leaves(Point(1, [2])) == [1, 2]
    assert gn.tree.leaves(Layer(1, 2)) == [1, 2]


def test_dicts_keep_their_class_and_order():
    tree = defaultdict(list, {"z": 1, "a": 2})
    leaves, structure = gn.tree.flatten(tree)
    again = gn.tree.unflatten(structure, leaves)
    assert type(again) is defaultdict and again.default_factory is list
    assert list(again) == ["z", "a"]
    assert list(gn.tree.map(lambda x: x, {"z": 1, "a": 2})) == ["z", "a"]


def test_structures_differ():
    structure = gn.tree.structure
    assert structure([1, 2]) != structure((1, 2))
    assert structure([1, 2]) != structure([1, [2]])
    assert structure([None]) != structure([1])
    assert structure({"a": 1}) != structure({"b": 1})
    assert structure(Layer(1, 2, "a")) != structure(Layer(1, 2, "b"))
    assert structure([1, 2]) == structure(["x", Ellipsis])


def test_dataclasses_are_rebuilt_without_their_init():
    layer = gn.tree.map(str, Layer(1, 2, "name"))
    assert (layer.w, layer.b, layer.name) == ("1", "2", "name")
    assert gn.tree.map(lambda x: x + 1, Slotted(1, 2)) == Slotted(2, 3)


def test_registered_classes():
    tree = [Pair(1, [2], "t")]
    result = gn.tree.map(lambda x: 10 * x, tree)
    assert (result[0].first, result[0].second, result[0].tag) == (10, [20], "t")
    assert gn.tree.structure(tree) != gn.tree.structure([Pair(1, [2], "u")])
    with pytest.raises(gn.ValueError, match="list is known already"):
        gn.tree.register(list, None, None)
    with pytest.raises(gn.ValueError, match="Pair is known already"):
        gn.tree.register(Pair, None, None)


def test_paths_name_leaves():
    tree = {"layers": [Layer(1, 2), Point(3, 4)], "n": (5,)}
    paths = gn.tree.structure(tree).paths("params")
    assert paths == [
        "params['layers'][0].w",
        "params['layers'][0].b",
        "params['layers'][1].x",
        "params['layers'][1].y",
        "params['n'][0]",
    ]
    assert gn.tree.structure(1).paths("x") == ["x"]


def test_map_takes_several_trees():
    a = {"x": 1, "y": [2, 3]}
    b = {"y": [20, 30], "x": 10}
    assert gn.tree.map(lambda p, q: p + q, a, b) == {"x": 11, "y": [22, 33]}
    # Whatever stands in the place of a leaf is a leaf.
    assert gn.tree.map(lambda p, q: q, [1, 2], [(3, 4), None]) == [(3, 4), None]


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        ({"x": 1}, r"tree 2: expected the keys \['x', 'y'\], found \['x'\]"),
        ({"x": 1, "y": (2, 3)}, r"tree 2\['y'\]: expected a list, found a tuple"),
        ({"x": 1, "y": [2]}, r"tree 2\['y'\]: expected 2 elements, found 1"),
        ({"x": 1, "y": None}, r"tree 2\['y'\]: expected a list, found None"),
    ],
)
def test_a_difference_is_named_by_its_path(tree, text):
    with pytest.raises(gn.TypeError, match=text):
        gn.tree.map(lambda p, q: p, {"x": 1, "y": [2, 3]}, tree)


def test_wrong_numbers_of_leaves():
    with pytest.raises(gn.ValueError, match="has 2 leaves, found 3"):
        gn.tree.unflatten(gn.tree.structure([1, 2]), [1, 2, 3])


def test_deep_trees():
    depth = 50_000
    tree = 1
    for _ in range(depth):
        tree = [tree]
    leaves, structure = gn.tree.flatten(tree)
    assert leaves == [1]
    assert structure == gn.tree.structure(gn.tree.map(lambda x: x, tree))
    assert structure.paths("t")[0] == "t" + "[0]" * depth


def test_a_tree_that_contains_itself():
    tree = [1]
    tree.append(tree)
    with pytest.raises(gn.ValueError, match="a list contains itself"):
        gn.tree.flatten(tree)


def test_wide_trees_and_shared_parts():
    part = [1, 2]
    tree = [part] * 400_000
    leaves, structure = gn.tree.flatten(tree)
    assert len(leaves) == 800_000
    assert structure.count == 800_000


def test_structures_are_pickled():
    structure = gn.tree.structure({"a": [1, None], "b": Point(2, 3)})
    again = pickle.loads(pickle.dumps(structure))
    assert again == structure and hash(again) == hash(structure)
    assert gn.tree.unflatten(again, [1, 2, 3]) == {"a": [1, None], "b": Point(2, 3)}
    assert repr(gn.tree.structure([1, (2,)])) == "[*, (*,)]"
