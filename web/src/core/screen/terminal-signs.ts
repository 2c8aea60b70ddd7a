/* eslint-disable no-control-regex -- control characters are what this is about */

/** Whether a text is more than lines: something in it moves the cursor or colours what follows. */
export const hasControls = (text: string): boolean => /[\u0008\u001b\u009b]|\r(?!\n|$)/.test(text)

/** Whether there may be colours in it. */
export const hasEscapes = (text: string): boolean => /[\u001b\u009b]/.test(text)
