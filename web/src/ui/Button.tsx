import { type ButtonHTMLAttributes, type ComponentChildren, type Ref } from 'preact'
import { words } from '../words/index.js'
import { Icon } from './Icon.js'
import { type LucideIcon } from './lucide.js'
import { Spinner } from './Spinner.js'
import './button.css'

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'icon' | 'size' | 'ref' | 'label'> {
  /** `primary`: the main action. `plain`: with a frame. `quiet`: without a frame until hovered. `danger`: something is lost. */
  kind?: 'primary' | 'plain' | 'quiet' | 'danger'
  size?: 'small' | 'normal' | 'large'
  icon?: LucideIcon
  /** The name of a button that shows only an icon; also shown as a hint. */
  label?: string
  /** Use `label`, which is also shown as a hint. */
  'aria-label'?: never
  /** Whether its action is running: it stays focusable, but does nothing. */
  busy?: boolean
  /** Whether it is as wide as its container. */
  wide?: boolean
  /** For a toggle: announced and shown as pressed. */
  pressed?: boolean
  buttonRef?: Ref<HTMLButtonElement>
  children?: ComponentChildren
}

const iconSizes = { small: 14, normal: 16, large: 20 }

export function Button ({
  kind = 'plain', size = 'normal', icon, label, busy = false, wide = false, pressed, buttonRef, children,
  class: className, onClick, ...rest
}: ButtonProps) {
  const bare = children === undefined || children === null || children === false
  const classes = [
    'button', `button-${kind}`, size !== 'normal' && `button-${size}`, bare && 'button-bare', wide && 'button-wide',
    className
  ]
  return (
    <button
      type='button' {...rest} ref={buttonRef} class={classes.filter(Boolean).join(' ')} aria-label={label}
      data-hint={bare ? label : undefined} aria-pressed={pressed} aria-busy={busy || undefined}
      aria-disabled={busy ||
        undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    >
      {busy
        ? <Spinner size={iconSizes[size]} label={words.value.ui.working} />
        : icon !== undefined && <Icon of={icon} size={iconSizes[size]} />}
      {!bare && <span class='button-text'>{children}</span>}
    </button>
  )
}
