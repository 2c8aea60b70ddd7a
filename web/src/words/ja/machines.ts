import { type Words } from '../en/index.js'

export const machines: Words['machines'] = {
  here: 'このマシン',
  where: 'マシン',
  named: (name, state) => `${name}（${state === 'away' ? 'オフライン' : '使用不可'}）`,
  unread: (why) => `他のマシンの状態を読み込めませんでした。${why}`,
  brief: {
    away: (when) => `${when} からオフライン`,
    refused: '使用不可',
    unknown: '未参加',
    off: '未設定',
    cut: '接続不可'
  },
  absent: {
    away: (name, when) => `${name} は ${when} からオフラインです。復帰するまで、ここのメッセージに回答はありません。`,
    awayRunning: (name, when) => `${name} は ${when} からオフラインです。すぐに復帰すれば、回答は続きます。`,
    refused: (name) => `${name} は使えません。理由は「設定」の「マシン」に表示されます。`,
    refusedFor: (name, why) => `${name} は使えません：${why}`,
    unknown: (name) => `${name} という名前のマシンは参加していません。参加するまで、ここのメッセージに回答はありません。`,
    off: (name) => `このチャットはマシン ${name} で作業しますが、ここでは他のマシンが設定されていません。`,
    cut: (name) => `サービスは ${name} を含む他のマシンに接続できません。再試行を続けます。`,
    folderAway: (name, when) => `${name} は ${when} からオフラインです。`,
    folderNote: 'マシンに接続できるようになると、フォルダーは自動でここに表示されます。それまでもチャットは読めます。'
  },
  note: '他のコンピューターに作業を任せられます。それぞれが自分のフォルダー、プロファイル、キーを持ちます。チャットはここに残ります。',
  off: 'まだ設定されていません。次の 4 ステップで、ほかのコンピューターが作業します：',
  steps: [
    'マシン同士をつなぐ NATS サーバーを動かすコンピューターで、キーを作成します：',
    'キーのフォルダーに証明書を置き（方法はガイドにあります）、サーバーを起動します：',
    'このサービスの環境変数で、ファイルのフルパスとともに指定し、サービスを再起動します：',
    'もう一台のコンピューターにこのサービスをインストールし、そのキーと ca.crt をフォルダーにコピーして、開くフォルダーを付けて実行します：'
  ],
  cut: 'サービスは NATS サーバーに接続できません。再試行を続けます。',
  none: '参加しているマシンはまだありません。',
  join: 'マシンを参加させる',
  joinNote:
    'キーを作成し（ガイドを参照）、そのマシンにこのサービスをインストールして、キーと ca.crt をフォルダーにコピーし、値を置き換えて実行します：',
  copyCommand: 'コマンドをコピー',
  guide: 'ガイド：キー、証明書、自動起動',
  states: { ready: '準備完了', away: 'オフライン', refused: '使用不可' },
  since: (when) => `${when} から`,
  version: 'バージョン',
  otherVersion: (its, ours) => `${its}。サービスは ${ours} です。古いほうを更新してください。`,
  platform: 'システム',
  profiles: 'プロファイル',
  models: 'モデル',
  sandbox: 'サンドボックス',
  load: '負荷',
  folders: 'フォルダー',
  some: (names, more) => `${names.join('、')}${more === 0 ? '' : `、他 ${more} 件`}`,
  confined: 'コマンドは制限されています',
  unconfined: (why) => why === '' ? 'コマンドは制限されていません' : `コマンドは制限されていません：${why}`,
  loadOf: ({ busy, cores, freeMb, turns }) =>
    `${cores} コアで ${busy.toFixed(1)}、空き ${(freeMb / 1_024).toFixed(1)} GiB、実行中のターン ${turns} 件`,
  forget: '登録を解除',
  forgetNamed: (name) => `${name} の登録を解除`,
  forgetTitle: (name) => `${name} の登録を解除しますか？`,
  forgetNote: '再び参加するまで、この一覧から消えます。チャットは残り、この名前のマシンが参加すると再び使えます。',
  forgotten: (name) => `${name} の登録を解除しました。`
}
