/** What the service calls a chat that has no title yet. */
export const untitled = 'Untitled'

const forked = /(?: \(fork\))+$/
const moment = / · \d{4}-\d\d-\d\d \d\d:\d\d$/

/**
 * Returns a title as it is shown, without marks that its place and the time beside it make redundant: that a chat is a branch, and when a
 * task ran.
 */
export const shownTitle = (title: string): string => title.replace(forked, '').replace(moment, '')
