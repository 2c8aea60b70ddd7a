import { signal, type ReadonlySignal } from '@preact/signals-core'
import { ApiError } from './api.js'

/** Something of the service as it was last read. What was read stays while it is read again, and when that fails. */
export interface Resource<Value> {
  readonly value: ReadonlySignal<Value | undefined>
  readonly error: ReadonlySignal<ApiError | null>
  readonly isLoading: ReadonlySignal<boolean>
  /**
   * Reads it, once for all who ask meanwhile; asked for while it is being read, once more afterwards. Never throws: the error is a state.
   */
  refresh: () => Promise<void>
  /** Puts in what an answer has brought already. */
  set: (value: Value) => void
}

/** @param read throws ApiError */
export function createResource<Value> (read: () => Promise<Value>): Resource<Value> {
  const value = signal<Value | undefined>(undefined)
  const error = signal<ApiError | null>(null)
  const isLoading = signal(false)
  let running: Promise<void> | null = null
  let isWanted = false
  /** What is put in is later than what was being read then. */
  let edition = 0

  async function run (): Promise<void> {
    isLoading.value = true
    while (isWanted) {
      isWanted = false
      const mine = ++edition
      try {
        const fresh = await read()
        if (mine === edition) value.value = fresh
        error.value = null
      } catch (failure) {
        if (!(failure instanceof ApiError)) throw failure
        error.value = failure
      }
    }
    isLoading.value = false
    running = null
  }

  return {
    value,
    error,
    isLoading,
    refresh: async () => {
      isWanted = true
      running ??= run()
      await running
    },
    set: (next) => {
      edition++
      value.value = next
      error.value = null
    }
  }
}
