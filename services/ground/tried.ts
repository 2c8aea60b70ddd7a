/** Returns what `act` returns, or `otherwise` if it throws: for files that may be gone, unreadable or of another kind. */
export function tried<T, U> (act: () => T, otherwise: U): T | U {
  try {
    return act()
  } catch {
    return otherwise
  }
}
