/* What only the reference device has: switches for the harness's own tests. No conformance suite uses it. */
#ifndef REFDEVICE_REFDEVICE_H
#define REFDEVICE_REFDEVICE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Replace the active faults (syntax of REFDEVICE_FAULT; an empty text clears them). 0, or -1 for a bad text. */
__attribute__((visibility("default"))) int refdeviceSetFaults(const char *text);

/* Why the last refdeviceSetFaults of this thread failed. */
__attribute__((visibility("default"))) const char *refdeviceFaultError(void);

/* Comma-separated ids of the rules that refused a call since the last clearing. */
__attribute__((visibility("default"))) const char *refdeviceTrippedRules(void);
__attribute__((visibility("default"))) void refdeviceClearTripped(void);

/* The faults that the profile @observed stands for, in the syntax of REFDEVICE_FAULT. */
__attribute__((visibility("default"))) const char *refdeviceObservedProfile(void);

/* Comma-separated ids of all rules that this device knows, each with a place that a fault can break. */
__attribute__((visibility("default"))) const char *refdeviceKnownRules(void);

#ifdef __cplusplus
}
#endif

#endif
