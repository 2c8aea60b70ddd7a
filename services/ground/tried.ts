/** What `act` returns, or `otherwise` when it throws: of what may be gone, closed to us, or not what it is taken for. */
export function tried<T, U> (act: () => T, otherwise: U): T | U {
  try {
    return act()
  } catch {
    return otherwise
  }
}
