import { Invalid } from '../ground/errors.js'

/** What requests without a voice get. */
export const usualVoice = 'zh-CN-XiaoxiaoNeural'

interface Speakers { women: string, men: string }

/** Names that clients know voices by, by the voice of espeak-ng that speaks their language. Other engines have voices of their own. */
const speakers: Readonly<Record<string, Speakers>> = {
  cmn: { women: 'zh-CN-XiaoxiaoNeural zh-CN-XiaoyiNeural zh-TW-HsiaoChenNeural zh-TW-HsiaoYuNeural', men: 'zh-CN-YunjianNeural zh-CN-YunxiNeural zh-CN-YunxiaNeural zh-CN-YunyangNeural zh-TW-YunJheNeural' },
  yue: { women: 'zh-HK-HiuMaanNeural zh-HK-HiuGaaiNeural', men: 'zh-HK-WanLungNeural' },
  'en-us': { women: 'en-US-AriaNeural en-US-JennyNeural en-US-MichelleNeural en-US-AnaNeural en-US-AvaNeural en-US-EmmaNeural', men: 'en-US-GuyNeural en-US-ChristopherNeural en-US-EricNeural en-US-RogerNeural en-US-SteffanNeural en-US-AndrewNeural en-US-BrianNeural' },
  'en-gb': { women: 'en-GB-SoniaNeural en-GB-LibbyNeural en-AU-NatashaNeural en-IN-NeerjaNeural', men: 'en-GB-RyanNeural en-GB-ThomasNeural en-AU-WilliamNeural' },
  de: { women: 'de-DE-KatjaNeural de-DE-AmalaNeural de-AT-IngridNeural de-CH-LeniNeural', men: 'de-DE-ConradNeural de-DE-KillianNeural de-AT-JonasNeural de-CH-JanNeural' },
  'fr-fr': { women: 'fr-FR-DeniseNeural fr-FR-EloiseNeural', men: 'fr-FR-HenriNeural' },
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
  vi: { women: 'vi-VN-HoaiMyNeural', men: 'vi-VN-NamMinhNeural' }
}

interface SystemVoice { language: string, variant: 'f3' | 'm3' }

const languages = new Map<string, SystemVoice>(Object.entries(speakers).flatMap(([language, { women, men }]) => [
  ...women.split(' ').map((name): [string, SystemVoice] => [name.toLowerCase(), { language, variant: 'f3' }]),
  ...men.split(' ').map((name): [string, SystemVoice] => [name.toLowerCase(), { language, variant: 'm3' }])
]))

/** Whether a voice of this name is known. */
export const isVoice = (name: string): boolean => languages.has(name.toLowerCase())

/**
 * The voice of espeak-ng for one of the known names. Those whose names are Chinese speak English as well: a text without a Chinese
 * character is read as English. Throws Invalid.
 */
export function systemVoice (name: string, text: string): string {
  const found = languages.get(name.trim().toLowerCase())
  if (found === undefined) throw new Invalid('Invalid voice: this engine has no voice of that name')
  const isChinese = found.language === 'cmn' || found.language === 'yue'
  return `${isChinese && !/\p{Script=Han}/u.test(text) ? 'en-us' : found.language}+${found.variant}`
}
