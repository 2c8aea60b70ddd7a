import { speakableParts, type SpokenTurn } from '../core/voice/spoken-turn.js'
import { plainText } from '../markdown/plain-text.js'

export const hasDeviceVoice = (): boolean => globalThis.speechSynthesis !== undefined

/** Reads a text aloud with the device's own voice, in pieces, because some devices stop in the middle of long ones. */
export function speakByDevice (
  text: Promise<string>, { rate, pitch, onStart }: { rate?: number, pitch?: number, onStart?: () => void } = {}
): SpokenTurn {
  let isStopped = false
  async function run (): Promise<'completed' | 'stopped' | 'failed'> {
    for (const part of speakableParts(plainText(await text, { spoken: true }), 600)) {
      if (isStopped) return 'stopped'
      onStart?.()
      const isSpoken = await utter(part, rate, pitch)
      if (!isSpoken && !isStopped) return 'failed'
    }
    return isStopped ? 'stopped' : 'completed'
  }
  return {
    ended: run(),
    stop: () => {
      isStopped = true
      speechSynthesis.cancel()
    }
  }
}

/**
 * Returns the language of a text, judged by its script if that is distinctive; otherwise the browser's own, unless that uses another
 * script.
 */
function languageSpoken (text: string): string {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return 'ja-JP'
  if (/\p{Script=Han}/u.test(text)) return 'zh-CN'
  return /^(?:zh|ja)/i.test(navigator.language) ? 'en' : navigator.language
}

async function utter (text: string, rate = 1, pitch = 1): Promise<boolean> {
  const utterance = new SpeechSynthesisUtterance(text)
  utterance.lang = languageSpoken(text)
  utterance.rate = rate
  utterance.pitch = pitch
  return await new Promise((resolve) => {
    utterance.onend = () => resolve(true)
    utterance.onerror = () => resolve(false)
    speechSynthesis.speak(utterance)
  })
}
