/** The message of a turn that continues after a limit. */
export const continueMessage = 'The limit that had stopped you is over. Go on where you were; do not repeat what you have said and done.'
