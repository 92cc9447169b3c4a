// Uploading a picture beside the field that takes its address.
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { problemText, t } from '../shared/texts.js';
import { upload } from '../shared/server.js';
import { ownPath } from '../shared/settings.js';
import { Picture } from '../shared/parts.js';
import { may } from './me.js';

const kinds = ['image/jpeg', 'image/png', 'image/webp'];
const mostBytes = 1 << 20;

// wrongFile says why a file can't be uploaded, before it is sent.
function wrongFile({ type, size }) {
  if (!kinds.includes(type)) return t('upload_kind');
  return size > mostBytes ? t('upload_large') : undefined;
}

// Upload is a place to drop a picture, with a button that asks for a file. It types the address of the picture into the
// field that it is part of, as a reader would. value is what that field has, where its form keeps it.
export function Upload({ value }) {
  const place = useRef();
  const chooser = useRef();
  const turn = useRef(0); // of the file that was chosen last
  const [typed, type] = useState(value ?? '');
  const [over, hover] = useState(false);
  const [state, set] = useState({});
  const field = () => place.current.closest('.field').querySelector('input');
  useEffect(() => {
    const input = field();
    const follow = () => type(input.value);
    follow();
    input.addEventListener('input', follow);
    return () => input.removeEventListener('input', follow);
  }, []);
  if (!may('POST /pictures')) return html`<div ref=${place} hidden></div>`;
  const send = async (file) => {
    if (!file) return;
    const mine = ++turn.current;
    const wrong = wrongFile(file);
    set(wrong ? { wrong } : { busy: file.name });
    if (wrong) return;
    try {
      const shop = field().form?.elements.shop_id?.value;
      const kept = await upload(`/pictures${shop ? `?shop_id=${encodeURIComponent(shop)}` : ''}`, file);
      if (mine !== turn.current || !place.current) return;
      const input = field();
      input.value = kept.image_url;
      input.dispatchEvent(new Event('input', { bubbles: true }));
      set({ done: file.name });
    } catch (error) {
      if (mine === turn.current) set({ wrong: problemText(error) });
    }
  };
  const choose = (e) => {
    send(e.currentTarget.files[0]);
    e.currentTarget.value = ''; // the same file may be chosen again
  };
  const drag = (is) => (e) => {
    e.preventDefault();
    hover(is);
  };
  const drop = (e) => {
    drag(false)(e);
    send(e.dataTransfer.files[0]);
  };
  const url = value ?? typed;
  const uploaded = url.startsWith(ownPath('/pictures/')); // others may be of hosts that no page here may ask
  return html`<div ref=${place} class="upload ${over ? 'over' : ''}" onDragOver=${drag(true)} onDragLeave=${drag(false)}
      onDrop=${drop}>
    ${uploaded && html`<span class="thumb"><${Picture} url=${url} title="?" /></span>`}
    <input ref=${chooser} type="file" hidden accept=${kinds.join()} onChange=${choose} />
    <button type="button" class="quiet" aria-disabled=${state.busy ? 'true' : undefined}
      onClick=${() => state.busy || chooser.current.click()}>${t('upload')}</button>
    <span class="muted">${t('upload_help')}</span>
    <p role="status">${state.busy && t('uploading', { file: state.busy })}
      ${state.done && t('uploaded', { file: state.done })}</p>
    ${state.wrong && html`<p class="bad" role="alert">${state.wrong}</p>`}</div>`;
}
