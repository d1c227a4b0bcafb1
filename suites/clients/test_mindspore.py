"""The order of MindSpore's capture graph: the handle that GetInfo gives is executed and destroyed (gitee mindspore).

Plan
- Begin, GetInfo; the main stream forks communication streams and gets them back; End; execute on another stream with
  new inputs; wait for all streams, destroy                    CAP-017, 023, XSTR-007, 020, EXE-004, 008, RES-006
"""

import pytest

from fixtures import CaptureMode, Device, each_mode, rule
from fixtures.chain import random_chain

ROUNDS = 4


@each_mode()
@rule("CAP-017", "CAP-023", "XSTR-007", "XSTR-020", "EXE-004", "EXE-008", "RES-006")
@pytest.mark.parametrize("sides", [1, 4], ids=["one_side_stream", "four_side_streams"])
def test_handle_of_info_is_executed_and_destroyed(device: Device, mode: CaptureMode, sides: int) -> None:
    chain, main, elsewhere = random_chain(device, seed=sides, count=24), device.stream(), device.stream()
    others = [device.stream() for _ in range(sides)]
    with device.capture(mode, main) as capture:
        handle = device.capture_info(main).succeeds().model
        chain.submit(main, *others)
        model = capture.end().succeeds()
    device.case.expect(model.handle == handle, what="handle of End", expected=handle, actual=model.handle)
    for number in range(ROUNDS):
        wanted = chain.fill(seed=number)
        elsewhere.execute(handle).succeeds()
        elsewhere.finish()
        chain.expect(wanted, what=f"round {number}")
    for stream in (main, elsewhere, *others):
        stream.finish()
    model.destroy().succeeds()
