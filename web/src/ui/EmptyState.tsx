import { type ComponentChildren } from 'preact'
import { Icon } from './Icon.js'
import { type LucideIcon } from './lucide.js'
import './marks.css'

export interface EmptyStateProps {
  title: string
  icon?: LucideIcon
  /** One or two sentences on what would be here. */
  children?: ComponentChildren
  /** An example that can be clicked, or the way to the first one. */
  actions?: ComponentChildren
}

/** Where nothing is yet. */
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
