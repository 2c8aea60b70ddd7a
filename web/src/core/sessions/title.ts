const forked = /(?: \(fork\))+$/

/** A title as it is shown: that a chat is a branch is seen from its place, and not from its name. */
export const shownTitle = (title: string): string => title.replace(forked, '')
