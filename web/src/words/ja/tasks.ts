import { dollarsIn } from '../dollars.js'
import { formatter } from '../formatter.js'
import { sayInJapanese } from '../../../../schedules/japanese.js'
import { type ZonedTime } from '../../tasks/zoned-time.js'
import { type Words } from '../en/index.js'

const number = formatter(() => new Intl.NumberFormat('ja'))
const day = (date: string, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat('ja', { ...options, timeZone: 'UTC' }).format(new Date(`${date}T00:00Z`))
const dayMonth = (date: string): string => day(date, { weekday: 'short', day: 'numeric', month: 'short' })
const dollars = dollarsIn('ja', 0.01)

export const tasks: Words['tasks'] = {
  create: '新しいタスク',
  isNew: '新規',
  edited: '未保存',
  ways: { label: '作業のきっかけ', times: '決まった時刻', calls: '呼び出し' },
  list: 'タスク',
  paused: '一時停止中',
  finished: '終了',
  back: 'すべてのタスク',
  gone: 'このタスクはもうありません。別のものを選んでください。',
  allProfiles: 'すべてのプロファイルのタスクを表示',
  empty: '予定はまだありません',
  emptyText: 'タスクは、決まった時刻にエージェントに届くメッセージです。離れている間も届きます。',
  exampleButton: (name) => `試してみる：${name}`,
  example: {
    name: '朝の確認',
    prompt: 'フォルダーを見てください。昨日から何が変わり、次に何をする必要がありますか？10 行以内で。',
    schedule: '平日の毎朝'
  },
  states: {
    running: '実行中', queued: '待機中', paused: '一時停止中', completed: '終了', failed: '失敗', undelivered: '未配信',
    blocked: '設定が無効', scheduled: 'オン'
  },
  runNow: '今すぐ実行',
  runsAlready: 'すでに実行中です。',
  actionsOf: (name) => `${name} の操作`,
  pause: '一時停止',
  resume: '再開',
  pausedToast: (name) => `「${name}」を一時停止しました。`,
  deleted: (name) => `「${name}」を削除しました。`,
  deleteTitle: 'このタスクを削除しますか？',
  deleteText: (name) => `結果も削除され、復元できません：「${name}」。`,
  skipped: (at) => `スキップ：${at}。`,
  told: {
    ended: (name) => `「${name}」を実行しました。`,
    failed: (name) => `「${name}」が失敗しました。`,
    skipped: (name) => `「${name}」をスキップしました。`,
    open: '表示'
  },
  times: (done, times) => `${times} 回中 ${done} 回実行`,
  streak: (runs) => `${runs} 回連続。`,
  toChat: '最新のチャットを開く',
  runs: '結果',
  noRuns: '結果はまだありません。実行のたびに、ここに回答が追加されます。',
  moreRuns: (count) => `以前の結果を表示（${count}）`,
  went: '完了',
  used: (tokens, cost) => cost === null || cost === 0 ? `${number.format(tokens)} トークン` : dollars(cost),
  cost: (run, month) => `1 回あたり約 ${dollars(run)}${month === null ? '' : `、1 か月あたり ${dollars(month)}`}`,
  name: '名前',
  prompt: '何をしますか？',
  promptPlaceholder: 'フォルダーを見て、次に必要なことを教えてください。',
  promptHint: 'メッセージの中の {{last_output}} は、前回の実行の回答に置き換わります。',
  schedule: 'いつ？',
  hour: '時刻',
  meant: 'もしかして',
  inZone: (zone) => zone === 'UTC' ? 'UTC' : `${zone.split('/').at(-1)?.replaceAll('_', ' ') ?? zone} 時間`,
  once: (at) => `1 回のみ：${at}`,
  weekday: (date) => day(date, { weekday: 'short' }),
  daysLabel: (dates) =>
    dates.length === 0 ? '今後 2 週間は実行されません' : `今後 2 週間の実行：${dates.map(dayMonth).join('、')}`,
  /** `next`: the first as it comes; the days of others, with the time where it is another one. */
  nextRuns: (next, [first, ...rest]) => {
    const others = rest.map(({ date, time }: ZonedTime) => date === first?.date ? time : time === first?.time ? dayMonth(date) : `${dayMonth(date)} ${time}`)
    return `次回：${next}${others.length === 0 ? '' : `、以降：${others.join('、')}`}`
  },
  fiveMore: 'さらに 5 件',
  fewer: '減らす',
  scheduleRefused: {
    schedule_unclear: 'まだ理解できません。曜日や日と時刻、または間隔を書いてください：「平日の毎朝」「2時間ごと」。',
    schedule_cron: 'この cron 式を読み取れません。分、時、日、月、曜日の 5 つの部分が必要です。',
    schedule_never: '一致する日付がありません。',
    schedule_past: 'この時刻は過ぎています。これから来る時刻を選んでください。'
  },
  /** Describes a schedule in words that parse to the same one. */
  say: sayInJapanese,
  examples: '例',
  scheduleExamples: ['平日の毎朝', '毎日18:30', '隔週火曜日の7時', '毎月1日', '2時間後'],
  delivery: '回答の届け先',
  deliveries: { local: 'ホーム', origin: '1 つのチャット', push: '自分のデバイス', webhook: 'Webhook' },
  deliveryNotes: {
    local: 'ここの「結果」に残ります。',
    origin: 'このタスクを作成したチャットに届きます。',
    push: '通知がオンのすべてのブラウザーに、通知として届きます。'
  },
  webhook: 'Webhook のアドレス',
  webhookHint: '各結果を署名付きの JSON として送ります。',
  model: 'モデル',
  usualModel: '既定のモデル',
  otherModel: '別のモデル…',
  profile: 'プロファイル',
  thisProfile: '現在のもの',
  workspace: 'フォルダー',
  folderTitle: 'タスクのフォルダー',
  usualFolder: '既定のフォルダー',
  otherFolder: '別のフォルダー…',
  addSkill: 'スキルを追加',
  removeSkill: (name) => `スキル ${name} を外す`,
  advanced: '詳細設定',
  cron: 'cron 式',
  cronHint: '分、時、日、月、曜日。上の言葉の代わりに使われます。',
  repeat: '実行回数',
  forever: '無制限',
  ask: '許可が必要なとき',
  asks: { wait: 'あなたを待つ', deny: '許可なしで続ける' },
  toast: '実行が終わったら知らせる',
  save: 'タスクを保存',
  tryNow: '今すぐ試す',
  saveAndTry: '保存して今すぐ試す',
  discard: '変更を破棄',
  saved: (name) => `「${name}」を保存しました。`,
  savedNext: (name, at) => `「${name}」を保存しました。次の実行：${at}。`
}
