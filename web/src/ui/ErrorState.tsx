import { type ComponentChildren } from 'preact'
import { words } from '../words/index.js'
import { Button } from './Button.js'
import { RotateCw } from './icons.js'
import './marks.css'

export interface ErrorStateProps {
  /** One sentence, with the next step in it. An error says its own message. */
  error: unknown
  /** Without it there is no button. */
  onRetry?: () => void
  /** While it is tried again. */
  busy?: boolean
  /** Other ways on, such as a link to a setting. */
  children?: ComponentChildren
}

/** Stands where the thing would have been. */
export function ErrorState ({ error, onRetry, busy = false, children }: ErrorStateProps) {
  return (
    <div class='error-state' role='alert'>
      <p>{error instanceof Error ? error.message : String(error)}</p>
      {children}
      {onRetry !== undefined && <Button icon={RotateCw} busy={busy} onClick={onRetry}>{words.value.common.retry}</Button>}
    </div>
  )
}
