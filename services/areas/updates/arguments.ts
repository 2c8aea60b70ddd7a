/** Tells a version that this is a trial; see server.ts. */
export const trialArgument = '--trial'
/** Tells a version to read its configuration, and nothing else. */
export const configurationArgument = '--check-configuration'
