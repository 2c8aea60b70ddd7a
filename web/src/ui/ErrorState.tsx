import { type ComponentChildren } from 'preact'
import { ApiError } from '../core/service/api.js'
import { words } from '../words/index.js'
import { Button } from './Button.js'
import { helpPage } from './help.js'
import { RotateCw } from './icons.js'
import './marks.css'

export interface ErrorStateProps {
  /** A sentence with the next step, or an error with its own message. */
  error: unknown
  /** Called by the retry button; without it, the button is not shown. */
  onRetry?: () => void
  /** Whether a retry is running. */
  busy?: boolean
  /** Other ways to continue, such as a link to a setting. */
  children?: ComponentChildren
}

/** Shown in place of content that could not be loaded. An error with a code links to its row in the documentation. */
export function ErrorState ({ error, onRetry, busy = false, children }: ErrorStateProps) {
  const code = error instanceof ApiError ? error.code : null
  return (
    <div class='error-state' role='alert'>
      <p>{error instanceof Error ? error.message : String(error)}</p>
      {code !== null && <p><a href={helpPage(code)} target='_blank' rel='noreferrer'>{words.value.common.whatToDo}</a></p>}
      {children}
      {onRetry !== undefined && <Button icon={RotateCw} busy={busy} onClick={onRetry}>{words.value.common.retry}</Button>}
    </div>
  )
}
