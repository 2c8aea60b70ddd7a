export interface Once<T> {
  (): Promise<T>
  /** What was opened, or is being opened; null if neither. */
  begun (): Promise<T> | null
  forget (): void
}

/** Opens something at the first call, and again only after a failure, so that something missing for a moment is not missing for good. */
export function once<T> (open: () => Promise<T>): Once<T> {
  let opened: Promise<T> | null = null
  const get = (): Promise<T> => {
    if (opened !== null) return opened
    const opening = opened = open()
    opening.catch(() => { if (opened === opening) opened = null })
    return opening
  }
  return Object.assign(get, { begun: () => opened, forget: () => { opened = null } })
}
