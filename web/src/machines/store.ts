import { useEffect } from 'preact/hooks'
import { api } from '../app.js'
import { createMachines } from '../core/machines/machines.js'

/** The other machines of this service, as last read. */
export const machines = createMachines({ api, isSeen: () => document.visibilityState === 'visible' })

/** Keeps the machines up to date while the component is shown. */
export function useMachines (): typeof machines.list {
  useEffect(() => machines.attend(), [])
  return machines.list
}
