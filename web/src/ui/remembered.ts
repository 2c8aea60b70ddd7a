import { effect, signal, type Signal } from '@preact/signals-core'

/** A number that this browser keeps, such as the width of a panel. What cannot be kept is still good for as long as the page is open. */
export function remembered (name: string, usual: number): Signal<number> {
  const kept = read(name)
  const width = signal(kept ?? usual)
  let first = true
  effect(() => {
    const { value } = width
    if (first) first = false
    else try { localStorage.setItem(name, String(value)) } catch {}
  })
  return width
}

function read (name: string): number | null {
  try {
    const number = Number(localStorage.getItem(name) ?? NaN)
    return Number.isFinite(number) ? number : null
  } catch {
    return null
  }
}
