"""Replay computes what eager execution computes, bit for bit; numpy in float32 is the judge (dev guide 04-01, 04-02).

Plan
- random chains on one and on several streams: eager, then replayed with other values           CAP-006, DATA-024
- one model on several streams in turn, many times                                              EXE-004, 005
- two models interleaved, on one and on two streams                                             EXE-032
- a model that runs while another one is captured (recorded)                                    EXE-033
The inputs are written after the capture, so that a device which read them during the capture fails.
"""

import pytest

from fixtures import CaptureMode, Device, each_mode, rule
from fixtures.capture import Model
from fixtures.chain import Chain, random_chain
from fixtures.gate import Gate

STREAMS = pytest.mark.parametrize("streams", [1, 3], ids=["one_stream", "three_streams"])


def captured(device: Device, mode: CaptureMode, chain: Chain, *, streams: int = 1) -> Model:
    """The chain as a model."""
    with device.capture(mode) as capture:
        chain.submit(capture.stream, *(device.stream() for _ in range(streams - 1)))
    return capture.model


@each_mode()
@rule("CAP-006", "DATA-024")
@STREAMS
@pytest.mark.parametrize("seed", range(4))
def test_replay_equals_eager_execution(device: Device, mode: CaptureMode, streams: int, seed: int) -> None:
    chain, everyone = random_chain(device, seed=seed, runs=2), [device.stream() for _ in range(streams)]
    wanted = chain.fill(seed=100)
    chain.submit(*everyone)
    everyone[0].finish()
    chain.expect(wanted, what="eager execution")
    model = captured(device, mode, chain, streams=streams)
    for values in (200, 201, 200):
        wanted = chain.fill(seed=values)
        model.replay(everyone[0])
        chain.expect(wanted, what=f"replay with the values of seed {values}")


@each_mode()
@rule("EXE-004", "EXE-005")
def test_many_replays_on_several_streams(device: Device, mode: CaptureMode) -> None:
    chain, streams = random_chain(device, seed=11), [device.stream() for _ in range(3)]
    model = captured(device, mode, chain)
    for number in range(30):
        wanted = chain.fill(seed=number)
        model.execute(streams[number % len(streams)]).succeeds()
        streams[number % len(streams)].finish()
        chain.expect(wanted, what=f"replay {number}")


@each_mode()
@rule("EXE-032")
@pytest.mark.parametrize("same_stream", [True, False], ids=["one_stream", "two_streams"])
def test_two_models_interleaved(device: Device, mode: CaptureMode, same_stream: bool) -> None:
    chains = [random_chain(device, seed=seed) for seed in (21, 22)]
    models = [captured(device, mode, chain) for chain in chains]
    first = device.stream()
    streams = [first, first if same_stream else device.stream()]
    for number in range(5):
        wanted, gate = [chain.fill(seed=number) for chain in chains], Gate(device)
        gate.hold(first)  # so that both are under way at once
        for model, stream in zip(models, streams, strict=True):
            model.execute(stream).succeeds()
        gate.open()
        for stream in streams:
            stream.finish()
        for chain, values in zip(chains, wanted, strict=True):
            chain.expect(values, what=f"round {number}")


@each_mode()
@rule("EXE-033")
def test_model_runs_while_another_is_captured(device: Device, mode: CaptureMode) -> None:
    running, building, elsewhere = random_chain(device, seed=31), random_chain(device, seed=32), device.stream()
    model = captured(device, mode, running)
    wanted = running.fill(seed=1)
    with device.capture(mode) as capture:
        ran = model.execute(elsewhere).observed_acceptance("aclmdlRIExecuteAsync during another capture")
        building.submit(capture.stream)
    elsewhere.finish()
    if ran:
        running.expect(wanted, what="the model that ran during the capture")
    wanted = building.fill(seed=2)
    capture.model.replay(elsewhere)
    building.expect(wanted, what="the model that was captured meanwhile")
