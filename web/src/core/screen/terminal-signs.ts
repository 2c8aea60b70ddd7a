/* eslint-disable no-control-regex -- control characters are what this is about */

/** Whether a text contains sequences that move the cursor or set colours. */
export const hasControls = (text: string): boolean => /[\u0008\u001b\u009b]|\r(?!\n|$)/.test(text)

/** Whether a text may contain colours. */
export const hasEscapes = (text: string): boolean => /[\u001b\u009b]/.test(text)
