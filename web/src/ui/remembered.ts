import { effect, signal, type Signal } from '@preact/signals-core'

/** A number stored in this browser, such as the width of a panel. If it cannot be stored, it lasts as long as the page. */
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
