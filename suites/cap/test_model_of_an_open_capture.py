"""A model whose capture is still open, known through aclmdlRICaptureGetInfo: neither executed nor destroyed.

Plan
- executing it                                                                                 CAP-036
- destroying it                                                                                CAP-037
"""

from fixtures import CaptureMode, Device, each_mode, rule
from fixtures.capture import Model


@each_mode()
@rule("CAP-036")
def test_executing_an_open_model_is_refused(device: Device, mode: CaptureMode) -> None:
    elsewhere = device.stream()
    with device.capture(mode) as capture:
        capture.mark()
        elsewhere.execute(capture.info().model).refused()
        capture.ends_consistently()
    elsewhere.execute(capture.model).succeeds()  # control: the capture has ended
    elsewhere.finish()


@each_mode()
@rule("CAP-037")
def test_destroying_an_open_model_is_refused(device: Device, mode: CaptureMode) -> None:
    with device.capture(mode) as capture:
        capture.mark()
        Model(device, capture.info().model).destroy().refused()
        capture.ends_consistently()
    capture.model.destroy().succeeds()  # control: the capture has ended
