import { type ComponentChildren } from 'preact'
import { words } from '../words/index.js'
import { Button } from './Button.js'
import { RotateCw } from './icons.js'
import './marks.css'

export interface ErrorStateProps {
  /** A sentence with the next step, or an error with its own message. */
  error: unknown
  /** Called by the retry button; without it there is none. */
  onRetry?: () => void
  /** While a retry runs. */
  busy?: boolean
  /** Other ways to continue, such as a link to a setting. */
  children?: ComponentChildren
}

/** Takes the place of what could not be loaded. */
export function ErrorState ({ error, onRetry, busy = false, children }: ErrorStateProps) {
  return (
    <div class='error-state' role='alert'>
      <p>{error instanceof Error ? error.message : String(error)}</p>
      {children}
      {onRetry !== undefined && <Button icon={RotateCw} busy={busy} onClick={onRetry}>{words.value.common.retry}</Button>}
    </div>
  )
}
