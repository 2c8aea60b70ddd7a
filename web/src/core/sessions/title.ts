const forked = /(?: \(fork\))+$/
const moment = / · \d{4}-\d\d-\d\d \d\d:\d\d$/

/** A title as it is shown: that a chat is a branch is seen from its place, and when a task ran from the time beside it. */
export const shownTitle = (title: string): string => title.replace(forked, '').replace(moment, '')
