"""Updates whose result the documents leave open (dev guide 04-03; API reference 15): recorded, not judged.

Plan
- another operator as the replacement                                                          UPD-013
- an update beside an execution without the event that orders them                             UPD-022
- an update of a group whose model is still captured                                           UPD-032
Asserted is that a refused update changes nothing, that the capture ends as its status says, and that a later update
of the same group takes effect.
"""

import numpy as np

from fixtures import CaptureMode, Device, each_mode, rule
from fixtures.grouped import grouped, same


@each_mode()
@rule("UPD-013")
def test_another_operator_as_replacement(device: Device, mode: CaptureMode) -> None:
    subject, stream = grouped(device, 1, mode=mode), device.stream()
    product = device.mul(subject.first, subject.second, subject.outs[0][0])
    stream.begin_update(subject.groups[0]).required()
    launched = product.launch(stream).observed_acceptance("launch of a product in place of a sum")
    ended = stream.end_update().observed_acceptance("aclmdlRICaptureTaskUpdateEnd")
    stream.finish()
    if launched and ended:
        device.case.observe("result (product 2, sum 3)", subject.replay()[0][0])
    elif not launched and not ended:
        subject.expect([1], what="parameters after the refused update")
    stream.update(subject.groups[0], subject.operator(4)).required()
    stream.finish()
    subject.expect([4], what="parameters after a later update with the captured operator")


@rule("UPD-022")
def test_update_beside_an_execution_without_event(device: Device) -> None:
    subject, stream = grouped(device, 1), device.stream()
    replacement = subject.operator(5)
    subject.outs[0][0].write(0)
    subject.model.execute(subject.stream).observed("aclmdlRIExecuteAsync")
    stream.update(subject.groups[0], replacement).observed("aclmdlRICaptureTaskUpdateEnd")
    subject.stream.finish()
    stream.finish()
    device.case.observe("result of the execution (old 3, new 11)", same(subject.outs[0][0]))
    subject.expect([5], what="parameters after both have ended")


@each_mode()
@rule("UPD-032")
def test_update_of_a_group_still_captured(device: Device, mode: CaptureMode) -> None:
    first, second, out = (device.buffer(np.full(8, value, np.float32)) for value in (1, 2, 0))
    member, early, late = (device.add(first, second, out, alpha=alpha) for alpha in (1, 3, 5))
    idle = device.stream()
    with device.capture(mode) as capture:
        capture.mark()
        with capture.stream.group() as groups:
            member.launch(capture.stream).required()
        if idle.begin_update(groups[0]).observed_acceptance("aclmdlRICaptureTaskUpdateBegin during the capture"):
            early.launch(idle).observed("launch in the update")
            idle.end_update().observed("aclmdlRICaptureTaskUpdateEnd during the capture")
        capture.mark()
        model = capture.ends_consistently()
    idle.finish()
    if model is None:
        return
    device.case.observe("result of the replay (captured 3, updated 7)", same(out))
    idle.update(groups[0], late).required()
    idle.finish()
    model.replay(capture.stream)
    seen = same(out)
    device.case.expect(seen == 11, what="result after an update of the ended model", expected=11, actual=seen)
