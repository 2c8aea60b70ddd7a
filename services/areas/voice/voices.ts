import { Invalid } from '../../ground/errors.js'

/** The voice for requests without one. */
export const usualVoice = 'zh-CN-XiaoxiaoNeural'

interface Speakers { women: string, men: string }

/** Names of voices that clients know, by the espeak-ng voice of their language. Other engines have voices of their own. */
const speakers: Readonly<Record<string, Speakers>> = {
  cmn: {
    women: 'zh-CN-XiaoxiaoNeural zh-CN-XiaoyiNeural zh-TW-HsiaoChenNeural zh-TW-HsiaoYuNeural',
    men: 'zh-CN-YunjianNeural zh-CN-YunxiNeural zh-CN-YunxiaNeural zh-CN-YunyangNeural zh-TW-YunJheNeural'
  },
  yue: { women: 'zh-HK-HiuMaanNeural zh-HK-HiuGaaiNeural', men: 'zh-HK-WanLungNeural' },
  'en-us': {
    women: 'en-US-AriaNeural en-US-JennyNeural en-US-MichelleNeural en-US-AnaNeural en-US-AvaNeural en-US-EmmaNeural',
    men: 'en-US-GuyNeural en-US-ChristopherNeural en-US-EricNeural en-US-RogerNeural en-US-SteffanNeural en-US-AndrewNeural en-US-BrianNeural'
  },
  'en-gb': {
    women: 'en-GB-SoniaNeural en-GB-LibbyNeural en-AU-NatashaNeural en-IN-NeerjaNeural',
    men: 'en-GB-RyanNeural en-GB-ThomasNeural en-AU-WilliamNeural'
  },
  de: {
    women: 'de-DE-KatjaNeural de-DE-AmalaNeural de-AT-IngridNeural de-CH-LeniNeural',
    men: 'de-DE-ConradNeural de-DE-KillianNeural de-AT-JonasNeural de-CH-JanNeural'
  },
  'fr-fr': {
    women: 'fr-FR-DeniseNeural fr-FR-EloiseNeural fr-CA-SylvieNeural fr-BE-CharlineNeural fr-CH-ArianeNeural',
    men: 'fr-FR-HenriNeural fr-CA-AntoineNeural fr-CA-JeanNeural fr-CA-ThierryNeural fr-BE-GerardNeural fr-CH-FabriceNeural'
  },
  es: { women: 'es-ES-ElviraNeural', men: 'es-ES-AlvaroNeural' },
  'es-419': { women: 'es-MX-DaliaNeural', men: 'es-MX-JorgeNeural' },
  it: { women: 'it-IT-ElsaNeural it-IT-IsabellaNeural', men: 'it-IT-DiegoNeural' },
  'pt-br': { women: 'pt-BR-FranciscaNeural', men: 'pt-BR-AntonioNeural' },
  pt: { women: 'pt-PT-RaquelNeural', men: 'pt-PT-DuarteNeural' },
  nl: { women: 'nl-NL-ColetteNeural', men: 'nl-NL-MaartenNeural' },
  pl: { women: 'pl-PL-ZofiaNeural', men: 'pl-PL-MarekNeural' },
  ru: { women: 'ru-RU-SvetlanaNeural', men: 'ru-RU-DmitryNeural' },
  uk: { women: 'uk-UA-PolinaNeural', men: 'uk-UA-OstapNeural' },
  tr: { women: 'tr-TR-EmelNeural', men: 'tr-TR-AhmetNeural' },
  ar: { women: 'ar-SA-ZariyahNeural', men: 'ar-SA-HamedNeural' },
  hi: { women: 'hi-IN-SwaraNeural', men: 'hi-IN-MadhurNeural' },
  ja: { women: 'ja-JP-NanamiNeural', men: 'ja-JP-KeitaNeural' },
  ko: { women: 'ko-KR-SunHiNeural', men: 'ko-KR-InJoonNeural' },
  id: { women: 'id-ID-GadisNeural', men: 'id-ID-ArdiNeural' },
  sv: { women: 'sv-SE-SofieNeural', men: 'sv-SE-MattiasNeural' },
  da: { women: 'da-DK-ChristelNeural', men: 'da-DK-JeppeNeural' },
  nb: { women: 'nb-NO-PernilleNeural', men: 'nb-NO-FinnNeural' },
  fi: { women: 'fi-FI-NooraNeural', men: 'fi-FI-HarriNeural' },
  cs: { women: 'cs-CZ-VlastaNeural', men: 'cs-CZ-AntoninNeural' },
  el: { women: 'el-GR-AthinaNeural', men: 'el-GR-NestorasNeural' },
  he: { women: 'he-IL-HilaNeural', men: 'he-IL-AvriNeural' },
  hu: { women: 'hu-HU-NoemiNeural', men: 'hu-HU-TamasNeural' },
  ro: { women: 'ro-RO-AlinaNeural', men: 'ro-RO-EmilNeural' },
  vi: { women: 'vi-VN-HoaiMyNeural', men: 'vi-VN-NamMinhNeural' }
}

interface SystemVoice { name: string, language: string, variant: 'f3' | 'm3' }

const voices = Object.entries(speakers).flatMap(([language, { women, men }]) => [
  ...women.split(' ').map((name): SystemVoice => ({ name, language, variant: 'f3' })),
  ...men.split(' ').map((name): SystemVoice => ({ name, language, variant: 'm3' }))
])

/** By name, by locale (`de-AT`) and by language (`de`): the first voice that matches. */
const known = new Map<string, SystemVoice>()
for (const voice of voices) {
  const [language = '', region] = voice.name.toLowerCase().split('-')
  for (const key of [voice.name.toLowerCase(), `${language}-${region}`, language]) if (!known.has(key)) known.set(key, voice)
}

/**
 * Voices for scripts that the usual voice cannot speak, if no voice was named. Kana come first, because Japanese has Chinese characters
 * too.
 */
const byScript: ReadonlyArray<[script: RegExp, name: string]> = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 'ja-JP-NanamiNeural'], [/\p{Script=Han}/u, usualVoice],
  [/\p{Script=Hangul}/u, 'ko-KR-SunHiNeural'],
  [/\p{Script=Cyrillic}/u, 'ru-RU-SvetlanaNeural'], [/\p{Script=Arabic}/u, 'ar-SA-ZariyahNeural'],
  [/\p{Script=Devanagari}/u, 'hi-IN-SwaraNeural']
]
const otherwise = 'en-US-AriaNeural'

/** Whether a voice of this name is known, or one for this locale or language. */
export const isVoice = (name: string): boolean => known.has(name.trim().toLowerCase())

/**
 * Returns the online voice for one of the known names, locales or languages. The usual one, which clients send without having chosen it, is
 * replaced by one that speaks the script of the text. Throws Invalid.
 */
export function onlineVoice (name: string, text: string): string {
  const found = voiceCalled(name)
  return found.name === usualVoice ? byScript.find(([script]) => script.test(text))?.[1] ?? otherwise : found.name
}

/**
 * Returns the espeak-ng voice for one of the known names, locales or languages. Chinese voices also speak English: a text without a Chinese
 * character is read as English. Throws Invalid.
 */
export function systemVoice (name: string, text: string): string {
  const found = voiceCalled(name)
  const isChinese = found.language === 'cmn' || found.language === 'yue'
  return `${isChinese && !/\p{Script=Han}/u.test(text) ? 'en-us' : found.language}+${found.variant}`
}

function voiceCalled (name: string): SystemVoice {
  const found = known.get(name.trim().toLowerCase())
  if (found === undefined) throw new Invalid('Invalid voice: this engine has no voice of that name')
  return found
}
