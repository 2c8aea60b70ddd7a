import { type Words } from '../en/index.js'

export const plan: Words['plan'] = {
  mode: '計画モード',
  modeNote: 'エージェントは読み取りと質問だけを行います。計画を開始するまで何も変更しません。',
  steps: (title, count) => `${title === '' ? '計画' : title} · ${count} ステップ`,
  open: '計画を開く',
  go: '開始',
  noSteps: '計画にステップがありません。タスクリストで書いてください：- [ ] …',
  none: '計画はまだありません。',
  noneNote: 'メッセージ欄の下で計画モードをオンにして、やることを伝えてください。自分で計画を書くこともできます。',
  write: '計画を書く',
  edit: '編集',
  text: '計画（Markdown）',
  version: (version, author) => `第 ${version} 版、${author === 'agent' ? 'エージェントが作成' : 'あなたが編集'}`,
  started: '開始済み',
  comment: (line) => `${line} 行目にコメント`,
  changedMeanwhile: '編集を始めた後に計画が変更されました。あなたのテキストは残っています。',
  refused: {
    plan_changed: 'その間に計画が変更されました。あなたのテキストは残っています。',
    plan_started: 'この計画は別のデバイスですでに開始されています。',
    agent_running: 'エージェントが作業中です。終わったら計画を開始してください。'
  }
}
