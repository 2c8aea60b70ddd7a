import { type ComponentChildren } from 'preact'
import { Icon } from './Icon.js'
import { type LucideIcon } from './lucide.js'
import './marks.css'

export interface EmptyStateProps {
  title: string
  icon?: LucideIcon
  /** One or two sentences about what will appear here. */
  children?: ComponentChildren
  /** An example to click, or an action that creates the first one. */
  actions?: ComponentChildren
}

/** Shown in place of content that does not exist yet. */
export function EmptyState ({ title, icon, children, actions }: EmptyStateProps) {
  return (
    <div class='state'>
      {icon !== undefined && <Icon of={icon} size={24} />}
      <p class='state-title'>{title}</p>
      {children !== undefined && <p>{children}</p>}
      {actions !== undefined && <div class='state-actions'>{actions}</div>}
    </div>
  )
}
