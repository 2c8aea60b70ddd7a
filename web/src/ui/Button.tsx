import { type ButtonHTMLAttributes, type ComponentChildren, type Ref } from 'preact'
import { words } from '../words/index.js'
import { Icon } from './Icon.js'
import { type LucideIcon } from './lucide.js'
import { Spinner } from './Spinner.js'
import './button.css'

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'icon' | 'size' | 'ref' | 'label'> {
  /** `primary`: the one thing to do here. `plain`: has a frame. `quiet`: has none until pointed at. `danger`: something is lost by it. */
  kind?: 'primary' | 'plain' | 'quiet' | 'danger'
  size?: 'small' | 'normal' | 'large'
  icon?: LucideIcon
  /** Its name where it shows only an icon; shown as a hint as well. */
  label?: string
  /** What it does is under way: it can be seen and focused, and does nothing. */
  busy?: boolean
  /** As wide as what it stands in. */
  wide?: boolean
  /** Where the pressed state is a state: said to screen readers and shown. */
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
