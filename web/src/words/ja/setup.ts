import { type Words } from '../en/index.js'

export const setup: Words['setup'] = {
  title: 'モデルを接続',
  note: 'それまでは内蔵のデモが回答します。決まった規則に従うもので、AI モデルではありません。',
  key: 'キーを貼り付け',
  keyHint: 'OpenAI、Anthropic、Google、OpenRouter。このサーバーに保存されます。',
  recognised: (name) => `${name} のキーです。このサーバーに保存されます。`,
  keyTooShort: 'キーは 8 文字以上の 1 行です。',
  provider: 'どこのキーですか？',
  choose: '選択…',
  noProvider: 'どこのキーか選んでください。',
  asEndpoint: (name) => `${name} のキーのようです。「モデル」で ${name} をエンドポイントとして追加してください。`,
  connect: 'キーを確認',
  saveAnyway: 'それでも保存',
  getKey: 'キーがない場合の取得先：',
  opensPage: (name) => `${name} のキーを取得（サイトを開きます）`,
  refused: {
    invalid_key: (name) => `${name} がこのキーを拒否しました。全体をコピーし直すか、新しく作成してください。`,
    no_quota: (name) => `${name} はこのキーを認識しましたが、アカウントの残高がありません。チャージするか、別のキーを使ってください。`,
    rate_limited: (name) => `${name} は今、これ以上のリクエストを受け付けません。1 分後にもう一度お試しください。`,
    tls: (name) => `${name} への接続が安全でないため、キーは送信していません。このサーバーの証明書を確認してください。`,
    name_not_found: (name) => `このサーバーから ${name} が見つかりません。インターネット接続を確認してください。`,
    no_answer: (name) => `${name} から応答がありません。このサーバーのインターネット接続を確認して、もう一度お試しください。`,
    provider_failed: (name) => `${name} 側で問題が発生しています。後でもう一度お試しください。`
  },
  connected: (name) => `${name} に接続しました。`,
  answersNow: (model) => `これからは ${model} が回答します。`,
  greet: 'あいさつする',
  greetNote: (name) => `${name} に短いメッセージを 1 通送ります。`,
  greeting: 'こんにちは！あなたは誰で、ここで何ができるのか、短い 3 文で教えてください。',
  another: '別のモデルを選ぶ',
  found: (name) => `${name} がこのマシンで動いています`,
  model: 'モデル',
  noModels: 'まだモデルがありません。先にそちらで読み込んでください。',
  agentFound: (name) => `${name} がこのマシンにインストールされています`,
  agentNote: '独自の方法で作業し、先に確認します。',
  agentFailed: {
    invalid_key: (name) => `${name} にサインインしていません。このマシンのターミナルでサインインしてから、もう一度試してください。`,
    no_quota: (name) => `${name} のアカウントに残高がありません。チャージしてから、もう一度試してください。`,
    timed_out: (name) => `${name} は時間内に起動しませんでした。必要なファイルをまだダウンロードしている可能性があります。もう一度試してください。`,
    other: (name) => `${name} は準備できていません。このマシンのターミナルで起動して、理由を確認してください。`
  },
  use: '使う',
  others: 'すべてのプロバイダー',
  later: '後で',
  put: '後で設定できます。「モデル」にあります。',
  tour: 'モデルなしで試す',
  tourNote: 'デモは台本どおりに動きます。ツール、カード、ファイルは本物です。',
  tourMore: 'デモでさらに試せること',
  tourTurns: ['許可が必要な変更を見せて', '質問を見せて', '表とコードのある長い回答を見せて', '毎朝のタスクを見せて'],
  examplesName: '例',
  examples: [
    'このフォルダーに何があり、何のためのものか教えてください。', '小さな Web ページの短い計画を書き、どこを変えるか聞いてください。',
    'ここで何ができますか？先に確認するのはどんなことですか？'
  ]
}
