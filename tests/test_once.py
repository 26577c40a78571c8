"""What is found once for several devices."""

from accshare.once import Once


def test_the_same_question_is_answered_once_and_another_one_anew():
    once, asked = Once(), []

    def length(items: tuple[int, ...], *, more: int = 0) -> int:
        asked.append(items)
        return len(items) + more

    one = (1, 2)
    other = (*one[:1], 2)
    assert [once(length, one), once(length, one), once(length, other), once(length, one, more=1)] == [2, 2, 2, 3]
    assert len(asked) == 3, "equal values are not the very same one"
    assert once.same(one, length) is one
    assert once.same(other, length) is one
    assert once(length, once.same(other, length)) == 2
    assert len(asked) == 3
    assert once.same(other, asked) is other, "what is equal may be of something else"
