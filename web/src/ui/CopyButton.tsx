import { useEffect, useState } from 'preact/hooks'
import { words } from '../words/index.js'
import { announce } from './Announcer.js'
import { Button, type ButtonProps } from './Button.js'
import { copyText } from './copy-text.js'
import { Check, Copy } from './icons.js'
import { toast } from './toasts.js'

export interface CopyButtonProps extends Pick<ButtonProps, 'kind' | 'size' | 'class'> {
  /** The text, or a function that returns it on a click. */
  text: string | (() => string)
  /** Its name, if "Copy" is not enough. */
  label?: string
  /** Whether the name is shown beside the icon. */
  isNamed?: boolean
}

const doneMs = 1_500

/** Copies a text, and confirms that for a moment. */
export function CopyButton ({ text, label, isNamed = false, kind = 'quiet', ...rest }: CopyButtonProps) {
  const [copies, setCopies] = useState(0)
  useEffect(() => {
    if (copies === 0) return
    const timer = setTimeout(() => setCopies(0), doneMs)
    return () => clearTimeout(timer)
  }, [copies])
  const { copy, copied } = words.value.common
  const copyIt = async () => {
    if (await copyText(typeof text === 'string' ? text : text())) {
      setCopies((before) => before + 1)
      announce(copied)
    } else {
      toast(words.value.ui.copyFailed, { kind: 'bad', about: 'copy' })
    }
  }
  const name = copies > 0 ? copied : label ?? copy
  return (
    <Button
      {...rest} kind={kind} icon={copies > 0 ? Check : Copy} {...(isNamed ? { children: name } : { label: name })}
      onClick={() => { void copyIt() }}
    />
  )
}
