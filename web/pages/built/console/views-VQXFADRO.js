import{$ as N,Aa as Z,Ca as sn,E as b,Ea as me,F as A,Fa as fe,G as H,Ga as We,H as Wt,Ha as _e,I as vt,Ia as an,Ja as Se,K as Re,Ka as ne,L as Be,La as Ve,M as D,Ma as dn,N as O,Na as no,O as Fe,Oa as cn,P as Vt,Pa as ln,Qa as un,R as Ge,Sa as ro,T as Qt,Ta as Qe,U as wt,Ua as pn,V as J,Va as Ye,W as C,Wa as $n,Ya as oo,Z as q,_ as ze,a as Ae,aa as M,ab as mn,ba as xt,c as k,ca as Yt,cb as fn,d as P,da as Oe,db as so,e as j,ea as Zt,eb as St,f as ke,fa as Xt,fb as _n,g as i,gb as Ze,h as Gt,ha as en,hb as Xe,ia as B,j as zt,ja as ie,jb as hn,k as Ne,ka as W,la as Ke,m as Ue,ma as tn,n as Kt,na as Je,nb as te,o as t,oa as g,ob as yn,p as ve,pa as nn,pb as he,qa as U,qb as bn,r as L,ra as F,rb as et,s as h,sa as He,sb as gn,t as we,ta as G,tb as io,u as xe,ua as z,va as rn,w as Ie,wa as Ot,x as Jt,xa as on,y as Ht,ya as ee,za as K}from"./chunk-RV5CXLNC.js";var kn={report:"Report",report_of:"Report: {sale}",report_live:"Live figures",report_made:"Sums of all stored orders, made on {time}. Amounts include freight.",report_unsettled:"These figures may still change. Orders that wait to be stored: {placed}, to be paid: {unpaid}.",report_queue_unknown:"These figures may still change. How many orders wait to be stored is not known right now.",report_paid:"Paid",report_whole:"{orders} orders completely",report_net:"Net",report_net_note:"paid less refunded",report_failed_note:"orders that could not be stored",report_peak:"Most orders in a second",report_peak_kept:"no order yet",report_peak_deleted:"no longer known",report_peak_unavailable:"not known right now",report_unpaid_units:"Units unpaid",report_cancelled_units:"Units cancelled",report_offered:"Units offered",report_none:"No order was placed.",report_skus:"By SKU",report_points:"By stock point",report_every_60:"By minute",report_every_3600:"By hour",report_every_86400:"By day",report_placed:"Placed from",report_others:"Others",report_without:"None named",report_traffic:"Refusals",report_requests:"Requests for a path: {paths}. Submits: {submits}.",report_early:"In the waiting room before the start: {n}.",report_refused_none:"Nobody was refused.",report_traffic_deleted:"Refusals and the peak are kept for 30 days. Those of this sale are no longer known.",report_traffic_unavailable:"Refusals and the peak can't be read right now.",description_help:"Plain text or Markdown: **bold**, *italic*, lists, # headings, `code`, [links](https://…).",print:"Print"};var vn={report:"报告",report_of:"报告：{sale}",report_live:"实时数据",report_made:"按所有已入库订单汇总，生成于 {time}。金额含运费。",report_unsettled:"数据仍可能变动：等待入库 {placed} 单，等待付款 {unpaid} 单。",report_queue_unknown:"数据仍可能变动：暂时无法得知还有多少订单等待入库。",report_paid:"已付金额",report_whole:"{orders} 单全额退款",report_net:"净额",report_net_note:"已付减去退款",report_failed_note:"无法入库的订单",report_peak:"每秒最高订单数",report_peak_kept:"尚无订单",report_peak_deleted:"数据已过期",report_peak_unavailable:"暂时无法读取",report_unpaid_units:"未付款件数",report_cancelled_units:"已取消件数",report_offered:"投放件数",report_none:"没有订单。",report_skus:"按商品",report_points:"按库存点",report_every_60:"按分钟",report_every_3600:"按小时",report_every_86400:"按天",report_placed:"下单时段",report_others:"其他",report_without:"未标明",report_traffic:"拒绝原因",report_requests:"路径请求 {paths} 次，提交 {submits} 次。",report_early:"开始前进入等候室 {n} 人。",report_refused_none:"没有请求被拒绝。",report_traffic_deleted:"拒绝次数和峰值保留 30 天，本活动的数据已不可查。",report_traffic_unavailable:"暂时无法读取拒绝次数和峰值。",description_help:"纯文本或 Markdown：**粗体**、*斜体*、列表、# 标题、`代码`、[链接](https://…)。",print:"打印"};function ao(){let[e,n]=k({kind:""}),r=F("/blocked",e),o=($,m)=>`/blocked/${encodeURIComponent(`${m}:${$}`)}`,s=[["user",t("block_user")],["address",t("block_address")]],a=[{name:"kind",label:t("kind"),options:s},{name:"subject",label:t("subject"),help:t("subject_help"),required:!0,maxlength:64},{name:"reason",label:t("reason"),required:!0,maxlength:200},{name:"until",label:t("until"),help:t("until_help"),type:"datetime-local"}],d=($,m)=>r.items.find(f=>f.kind===$&&f.subject===m)?.version,c=($,m,f,_)=>b("PUT",o(m,$),{body:f,version:_,create:!_}),l=($,m,f)=>b("DELETE",o(m,$),{version:f}),p=({kind:$,subject:m,reason:f,until:_},v,x=d($,m))=>c($,m,{reason:f,..._&&{until:new Date(_).toISOString()}},x),u=($,{kind:m,subject:f})=>!d(m,f)&&(()=>l(m,$.subject,$.version)),y=[[t("subject"),$=>i`<code>${$.subject}</code>`,"lead"],[t("kind"),$=>t(`block_${$.kind}`),"end"],[t("reason"),$=>$.reason,"wide"],[N(t("until")),$=>$.until?i`<${M} at=${$.until} />`:t("no_end"),"named"],[N(t("since")),$=>i`<${M} at=${$.updated_at} />`,"named"],["",$=>i`<${g} route="DELETE /blocked/{subject}"
        label=${t("unblock")} title=${t("unblock_title",{subject:$.subject})}
      run=${(m,f,_=$.version)=>l($.kind,$.subject,_)}
      done=${t("done_unblocked",{subject:$.subject})}
      undo=${()=>()=>c($.kind,$.subject,{reason:$.reason,...$.until&&{until:$.until}})}
      then=${r.reload} />`,"tools"]];return i`<div class="row heading"><h1>${t("menu_blocked")}</h1>
      <${g} route="PUT /blocked/{subject}"
        label=${t("block")} kind="go" id="block" title=${t("block_title")} help=${t("block_help")}
        fields=${a} run=${p} done=${$=>t("done_blocked",{subject:$.subject})}
        undo=${u} then=${r.reload} /></div>
    <${ee} fields=${[{name:"kind",label:t("kind"),options:[["",t("all")],...s]}]}
      values=${e} change=${n} />
    <${z} list=${r} name=${t("menu_blocked")} columns=${y} empty=${t("blocked_none")}
      keyOf=${$=>`${$.kind}:${$.subject}`} />`}var co=4,lo={activity:["created","changed","published","paused","resumed","taken_offline","stock_changed","stock_change_refused","stock_change_abandoned","reloaded","repaired","deleted"],sku:["created","changed","stock_changed","deleted"],point:["created","changed","deleted"],order:["refunded","noted","held","paid_outside"],payment:["flag_cleared"],refund:["retried","reported"],voucher:["redeemed"],dead:["replayed","discarded"],blocked:["created","changed","deleted"],endpoint:["registered","changed","secret_changed","resent","deleted"],job:["run","paused","resumed"],key:["created","revoked"]},wn={activity:e=>`#/edit/${e}`,sku:e=>`#/goods?${new URLSearchParams({sku_id:e})}`,point:e=>`#/points?${new URLSearchParams({point_id:e})}`,order:e=>`#/order/${e}`,payment:e=>`#/payment/${e}`,refund:e=>`#/money/refunds?${new URLSearchParams({refund_number:e})}`,voucher:e=>`#/voucher/${e}`,dead:()=>"#/queue",blocked:()=>"#/blocked",endpoint:e=>`#/deliveries/${e}`,job:()=>"#/jobs",key:()=>"#/keys"};function uo(e,n){return[e,...n.filter(s=>s.on===e.on)].flatMap(({before:s,after:a})=>[a,s]).map(s=>s?.title??s?.name).find(s=>typeof s=="string")}function po({change:e,all:n}){let[r,...o]=e.on.split(":"),s=o.join(":"),a=r==="job"?fn(s):uo(e,n),d=e.action.endsWith(".deleted")||!wn[r],c=i`<b>${a??s}</b>`;return i`<span class="muted">${W("hit",r)}</span>${" "}
    ${d?c:i`<a href=${wn[r](s)}>${c}</a>`}
    ${a&&i`<p class="muted"><code>${s}</code></p>`}`}function $o({query:e}){let[n,r]=rn("changes",e,{actor:"",on:"",action:""}),o=F("/changes",Ot(n)),s=Object.entries(lo).flatMap(([p,u])=>u.map(y=>`${p}.${y}`)),a=n.action&&!s.includes(n.action)?[n.action]:[],d=[["",t("all")],...[...a,...s].map(p=>[p,xt(p)])],c=[{name:"actor",label:t("operator"),maxlength:64},{name:"action",label:t("action"),options:d},{name:"on",label:t("changed_item"),placeholder:"sku:lamp",maxlength:120},{name:"from",label:t("from_day"),type:"date"},{name:"to",label:t("to_day"),type:"date"}],l=[[N(t("at")),p=>i`<${M} at=${p.at} />`,"end"],[t("operator"),p=>i`<span title=${p.client_ip}>${p.actor}</span>`],[t("action"),p=>i`<b title=${p.action}>${xt(p.action)}</b>`,"lead"],[t("changed_item"),p=>i`<${po} change=${p} all=${o.items} />`,"wide"],[t("difference"),p=>i`<${mo} fields=${Yt(p)} />`,"wide"]];return i`<h1>${t("menu_changes")}</h1><p class="muted">${t("changes_help")}</p>
    <${ee} fields=${c} values=${n} change=${r} />
    <${z} list=${o} name=${t("menu_changes")} columns=${l} empty=${on("changes",Ot(n))}
      keyOf=${p=>p.change_id} />`}function mo({fields:e}){if(e.length===0)return"–";if(e.length<=co)return i`<${Oe} fields=${e} />`;let n=t("fields_changed",{count:h(e.length)});return i`<details><summary>${n}</summary><${Oe} fields=${e} /></details>`}function fo({id:e}){let[n,r]=k({status:""}),o=F(`${Ye(e)}/deliveries`,n),[s,a]=k(""),[d,c]=k(),l=[[t("event"),m=>i`<b>${$n(m.type)}</b><p class="muted"><code>${m.type}</code> ${m.event_id}</p>`,"lead"],[t("state"),m=>i`<${B} state=${m.status} />
      ${m.next_attempt_at&&i`<p class="muted">${t("next_try")} ${q(m.next_attempt_at)}</p>`}`,"end"],[t("attempts"),m=>h(m.attempts),"number named"],[t("answer"),m=>i`${m.status_code??""} <span class="bad">${m.error}</span>
      <p class="muted">${m.answer}</p>`,"wide"],[t("duration"),m=>`${h(m.duration_ms)} ms`,"number"],[N(t("at")),m=>i`<${M} at=${m.at} />`],["",m=>i`<div class="row actions">
      <button type="button" class="quiet" id="show-${m.delivery_id}" onClick=${()=>a(m.delivery_id)}>
        ${t("payload")}</button>
      <${g} label=${t("send_again")} then=${o.reload}
      run=${(f,_)=>b("POST",`/deliveries/${m.delivery_id}/resend`,{key:_})} /></div>`,"tools"]],p=m=>m?new Date(m).toISOString():void 0,u=[{name:"from",label:t("from_time"),type:"datetime-local",required:!0},{name:"to",label:t("to_time"),type:"datetime-local"}],y=({from:m,to:f},_)=>b("POST",`${Ye(e)}/resend`,{key:_,body:{from:p(m),to:p(f)}}),$=["","waiting","delivered","failed"].map(m=>[m,t(m?`state_${m}`:"all")]);return i`<div class="row heading"><h1>${t("deliveries_title",{name:e})}</h1>
      <${g} label=${t("test_event_send")} id="test" run=${(m,f)=>b("POST",`${Ye(e)}/test`,{key:f})}
        then=${c} />
      <${g} label=${t("send_span")} title=${t("send_span")} help=${t("send_span_help")} fields=${u}
        run=${y} then=${o.reload} />
      <a href="#/endpoints">${t("menu_endpoints")}</a></div>
    <${ee} values=${n} change=${r}
      fields=${[{name:"status",label:t("state"),options:$}]} />
    <${z} list=${o} name=${t("deliveries")} columns=${l} empty=${t("deliveries_none")}
      keyOf=${m=>m.delivery_id} />
    ${s&&i`<${ho} id=${s} close=${()=>a("")} />`}
    ${d&&i`<${yo} result=${d} close=${()=>c()} />`}`}var _o=e=>{try{return JSON.stringify(JSON.parse(e),null,2)}catch{return e}};function ho({id:e,close:n}){let{value:r,error:o,reload:s}=A(()=>b("GET",`/deliveries/${e}`));return i`<${J} title=${t("payload")} close=${n}><${O} error=${o} retry=${s} />
    ${!r&&!o&&i`<${D} />`}
    ${r&&!r.event&&i`<p class="muted">${t("payload_gone")}</p>`}
    ${r?.event&&i`<pre class="file" tabindex="0">${JSON.stringify(r.event,null,2)}</pre>`}
    ${r&&i`<${xn} of=${r} />`}
    <button type="button" class="go" onClick=${n}>${t("close")}</button><//>`}function yo({result:e,close:n}){return i`<${J} title=${t("test_event")} close=${n}>
    <p class=${ie(e.accepted)} id="tested">${t(e.accepted?"test_accepted":"test_refused")}</p>
    <pre class="file" tabindex="0">${_o(e.body)}</pre><${xn} of=${e} />
    <button type="button" class="go" onClick=${n}>${t("close")}</button><//>`}function xn({of:{status_code:e,answer:n,error:r,duration_ms:o}}){return!e&&!r?null:i`<h3>${t("answer")}</h3><p>${e} <span class="bad">${r}</span>
      <span class="muted">${h(o)} ms</span></p>
    ${n&&i`<pre class="file" tabindex="0">${n}</pre>`}`}var bo=["add","take","set"],tt=()=>[{name:"how",label:t("stock_how"),options:bo.map(e=>[e,t(`stock_${e}`)]),initial:"add"},{name:"units",label:t("units"),type:"number",step:1,min:0,required:!0,initial:0,steps:!0}],ye=({how:e,units:n})=>(e==="take"?-1:1)*Number(n||0),nt=(e,n)=>n.how==="set"?Number(n.units||0):Math.max(0,e+ye(n));var re=e=>`/activities/${e.activity_id}`,rt=e=>["running","upcoming"].includes(te(e));function oe(e){if(!e)return"";let n=new Date(e);return new Date(n.getTime()-n.getTimezoneOffset()*6e4).toISOString().slice(0,19)}function ot(e,n){if(!e)return;let r=new Date(e).toISOString();return n&&r===new Date(oe(n)).toISOString()?n:r}var go=e=>q(e&&new Date(e)),On=e=>n=>oe(new Date(new Date(n).getTime()+e*6e4).toISOString());function Sn({sale:e,then:n}){if(!rt(e))return null;let r=(s,a)=>b("PATCH",re(e),{version:a,body:{ends_at:s}}),o={name:"ends_at",label:t("ends_at"),type:"datetime-local",required:!0,initial:oe(e.ends_at),presets:[[t("later_minutes",{n:15}),On(15)],[t("later_hours",{n:1}),On(60)]]};return i`<${g} route="PATCH /activities/{activity_id}" label=${t("extend")} title=${t("extend")} id="extend"
    fields=${[o]} preview=${({ends_at:s})=>`${q(e.ends_at)} → ${go(s)}`}
    run=${({ends_at:s},a,d=e.version)=>r(ot(s,e.ends_at),d)} then=${n}
    done=${s=>t("done_extended",{sale:e.title,time:q(s.ends_at)})}
    undo=${s=>()=>r(e.ends_at,s.version)} />`}function Tn({sale:e,then:n}){let r=j(e),[o,s]=k([]);if(!rt(e))return null;let a=_=>o.find(v=>v.point_id===_)?.name??_,d=[...new Set(e.skus.flatMap(_=>_.stock.map(v=>v.point_id)))],c=[{name:"sku_id",label:t("sku"),options:e.skus.map(_=>[_.sku_id,_.sku_id]),initial:e.skus[0].sku_id},{name:"point_id",label:t("point"),options:d.map(_=>[_,a(_)]),initial:d[0]},...tt()],l=({sku_id:_,point_id:v})=>r.current.skus.find(x=>x.sku_id===_)?.stock.find(x=>x.point_id===v)?.quantity??0,p=(_,v)=>t(v,{sku:_.sku_id,before:h(l(_)),after:h(nt(l(_),_)),point:a(_.point_id)}),u=(_,v,x)=>b("POST",`${re(e)}/stock`,{key:x,body:{sku_id:_.sku_id,point_id:_.point_id,delta:v}}),y=(_,v,x)=>b("PUT",`${re(e)}/stock`,{version:x,body:{sku_id:_.sku_id,point_id:_.point_id,quantity:v}}),$=(_,v,x=r.current.version)=>_.how==="set"?y(_,Number(_.units),x):u(_,ye(_),v),m=({status:_,delta:v},x)=>_!=="pending"&&v!==0&&(S=>u(x,-v,S)),f=()=>{r.current=e,C("GET /points")&&G("/points").then(s,()=>{})};return i`<${g} route="POST /activities/{activity_id}/stock" label=${t("change_stock")}
    title=${t("change_stock")} help=${t("set_total_help")} id="stock" onOpen=${f} fields=${c} run=${$}
    then=${n} preview=${_=>p(_,"stock_preview")} done=${(_,v)=>p(v,"done_stock")}
    undo=${m} />`}function st({sale:e,kind:n}){return i`<${g} route="POST /activities/{activity_id}/clone"
    label=${t("clone")} kind=${n} run=${(r,o)=>b("POST",`${re(e)}/clone`,{key:o,body:{}})}
    then=${r=>Re(`#/edit/${r.activity_id}`)} />`}function Pn({sale:e,then:n,opens:r}){if(!rt(e))return null;let o=(a,d)=>b("POST",`${re(e)}/pause`,{key:d}),s=(a,d)=>b("POST",`${re(e)}/resume`,{key:d});return e.paused_at?i`<${g} route="POST /activities/{activity_id}/resume" label=${t("resume_sale")} kind="go" id="resume"
      run=${s} done=${t("done_resumed",{sale:e.title})} undo=${()=>a=>o({},a)}
      then=${n} />`:i`<${g} route="POST /activities/{activity_id}/pause"
    label=${t("pause_sale")} title=${t("pause_sale")} help=${t("pause_sale_help")} id="pause" opens=${r}
    run=${o} done=${t("done_paused",{sale:e.title})} undo=${()=>a=>s({},a)}
    then=${n} />`}function it({sale:e,then:n}){let[r,o]=k();if(!rt(e))return null;let s=()=>{o(),b("GET",`${re(e)}/stats`).then(o,()=>o({}))};return i`<${g} route="POST /activities/{activity_id}/offline" label=${t("close_sale")}
    title=${t("close_title",{sale:e.title})} help=${ko(r)} kind="danger" onOpen=${s}
    id="close" done=${t("done_closed",{sale:e.title})}
    run=${(a,d)=>b("POST",`${re(e)}/offline`,{key:d})} then=${n} />`}function ko(e){return e?.loaded?`${t("close_sale_help")} ${t("close_sale_affects",{left:h(fe(e)),unpaid:h(e.placed+e.unpaid),waiting:h(e.waiting_room?.waiting??0)})}`:t("close_sale_help")}var Cn=["item","user","ip"],Ln=["title","description","image_url"],qn=e=>JSON.stringify(e,(n,r)=>typeof r=="number"?String(r):r),Te=(e,n)=>qn(e)===qn(n),at=e=>e===void 0||e<0?"":e,dt=e=>e===""||e===void 0?-1:Number(e),Pe=(e,n)=>n.find(r=>r.sku_id===e)?.currency??"CNY",Tt=(e,n)=>e.currency??Pe(e.sku_id,n);function jn(e,n){let r=n.find(o=>o.sku_id===e);return Z(r?.price,Pe(e,n))}var ae=(e,n)=>(n.find(r=>r.sku_id===e)?.kind??"physical")==="physical";function qe(e,n,r){if(r==="")return{...e,stock:e.stock.filter(a=>a.point_id!==n)};let o=e.stock.some(a=>a.point_id===n),s={point_id:n,quantity:r};return{...e,stock:o?e.stock.map(a=>a.point_id===n?s:a):[...e.stock,s]}}function ct(e,n){let r=new Set([...e.skus.flatMap(s=>s.stock.map(a=>a.point_id)),...e.points??[]]);r.size===0&&r.add("0");let o=n.map(s=>s.point_id).filter(s=>r.has(s));return[...o,...[...r].filter(s=>!o.includes(s))]}function Pt(e,n){let o=Math.ceil(Date.now()/36e5)*36e5,[s]=e;return{title:"",description:"",image_url:"",shop_id:s?.shop_id??"",starts_at:oe(o),ends_at:oe(o+36e5),pay_within:15,purchase_limit:"",permit_ratio:"",human_check:"none",paths_per_second:"",segments:"",limit_item:"",limit_user:"",limit_ip:"",points:[],skus:s?[Ee(s,n)]:[]}}function Ee(e,n){let r=n.find(s=>s.point_id==="0")??n[0],o=e.kind==="physical"?r:void 0;return{sku_id:e.sku_id,flash_price:Z(e.price,e.currency),currency:e.currency,purchase_limit:"",stock:[{point_id:o?.point_id??"0",quantity:100}]}}function se(e,n){let r={...Object.fromEntries(Ln.map(o=>[o,e[o]??""])),shop_id:e.shop_id,starts_at:oe(e.starts_at),ends_at:oe(e.ends_at),pay_within:e.pay_within_s/60,purchase_limit:at(e.purchase_limit),permit_ratio:at(e.permit_ratio),human_check:e.human_check,paths_per_second:at(e.waiting_room?.paths_per_second),segments:(e.segments??[]).join(" "),points:[],skus:e.skus.map(o=>({sku_id:o.sku_id,flash_price:Z(o.flash_price,Tt(o,n)),currency:o.currency,purchase_limit:at(o.purchase_limit),stock:o.stock.map(s=>({...s}))}))};for(let o of Cn){let s=e.limits?.[o];r[`limit_${o}`]=s&&s.requests>=0?`${s.requests}/${s.seconds}`:""}return r}function vo(e){return Object.fromEntries(Cn.map(n=>{let[r,o]=e[`limit_${n}`].split("/").map(Number);return[n,o?{requests:r,seconds:o}:{requests:-1}]}))}var wo=e=>e.split(/[\s,，、]+/).filter(Boolean),xo=(e,n)=>({...Object.fromEntries(Ln.map(r=>[r,e[r]])),ends_at:ot(e.ends_at,n?.ends_at),purchase_limit:dt(e.purchase_limit),permit_ratio:dt(e.permit_ratio),human_check:e.human_check,limits:vo(e),waiting_room:{paths_per_second:dt(e.paths_per_second)},segments:e.segments===void 0?n?.segments??[]:wo(e.segments)});function Oo(e,n,r){try{return{sku_id:e.sku_id,flash_price:K(e.flash_price,Tt(e,n)),purchase_limit:dt(e.purchase_limit)}}catch(o){throw Object.assign(o,{fields:{[`price-${r}`]:o.message}})}}function Ce(e,n,r){return{...xo(e,r),...r?.images&&{images:r.images},shop_id:e.shop_id,starts_at:ot(e.starts_at,r?.starts_at),pay_within_s:Math.round(Number(e.pay_within)*60),skus:e.skus.map((o,s)=>({...Oo(o,n,s),currency:Tt(o,n),stock:o.stock.map(a=>({point_id:a.point_id,quantity:Number(a.quantity)}))}))}}var En={skus:"sku_id",stock:"point_id"};function Le(e,n,r){return Object.fromEntries(Object.entries({...r,...n,...r}).map(([o,s])=>En[o]?[o,So(En[o],e[o]??[],n[o],s)]:[o,Te(n[o],e[o])?s:n[o]]))}function So(e,n,r,o){let s=(d,c)=>d.find(l=>l[e]===c[e]);return[...o.filter(d=>s(r,d)||!s(n,d)).map(d=>s(r,d)?Le(s(n,d)??{},s(r,d),d):d),...r.filter(d=>!s(o,d)&&!Te(d,s(n,d)))]}var To={pay_within_s:"pay_within","waiting_room.paths_per_second":"paths_per_second",waiting_room:"paths_per_second"},Dn={sku_id:"sku",flash_price:"price",purchase_limit:"limit"},Po={price:"flash_price",limit:"sku_limit",units:"units",sku:"sku"};function qo(e,n,r,o){let s=/^limits\.(item|user|ip)/.exec(e);if(s)return`limit_${s[1]}`;if(e.startsWith("segments["))return"segments";let[,a,d]=/^skus\[(\d+)\]\.?(.*)$/.exec(e)??[];if(a===void 0)return To[e]??(e in r?e:void 0);let c=n.skus?.[Number(a)],l=r.skus.findIndex(y=>y.sku_id===c?.sku_id);if(l<0)return;if(Dn[d])return`${Dn[d]}-${l}`;let[,p]=/^stock\[(\d+)\]/.exec(d)??[],u=p===void 0?0:o.indexOf(c.stock[Number(p)].point_id);return`units-${l}-${Math.max(0,u)}`}function Mn(e,n,r,o){let s={fields:{},rest:[]};for(let{field:a,detail:d}of e?.problem?.errors??[]){let c=qo(a,n??{},r,o);c&&!s.fields[c]?s.fields[c]=en(d):c||s.rest.push({field:a,detail:d})}for(let[a,d]of Object.entries(e?.fields??{}))s.fields[a]=d;return s}function Eo(e,n){let[,r,o]=/^(sku|price|limit|units)-(\d+)/.exec(e)??[];return r?`${n.skus[Number(o)]?.sku_id}: ${t(Po[r])}`:t(e)}function An({error:e,wrong:n,form:r,mine:o,theirs:s,apart:a}){let d=Object.keys(n.fields);if(d.length===0)return i`<${Xt} ...${{error:e,mine:o,theirs:s,apart:a}} />`;let c=l=>()=>document.querySelector(`.edit [name="${l}"]`)?.focus();return i`<div class="problem" role="alert" id="wrong"><p>${t("edit_wrong")}</p>
    <div class="row">${d.map(l=>i`<button type="button" class="quiet" onClick=${c(l)}>${Eo(l,r)}</button>`)}</div>
    ${n.rest.map(l=>i`<p class="muted"><code>${l.field}</code> ${l.detail}</p>`)}</div>`}var Nn=e=>JSON.stringify(e);function qt(e,n=""){return Object.entries(e).filter(([,r])=>r!==void 0).flatMap(([r,o])=>Array.isArray(o)?o.length===0?[`${n}${r}: []`]:[`${n}${r}:`,...o.flatMap(s=>Co(s,n))]:typeof o=="object"?[`${n}${r}:`,...qt(o,`${n}  `)]:[`${n}${r}: ${Nn(o)}`])}function Co(e,n){if(typeof e!="object")return[`${n}  - ${Nn(e)}`];let[r,...o]=qt(e,`${n}    `);return[`${n}  - ${r.trim()}`,...o]}function Lo(e,n,r,o){let s=o?.state==="offline"?void 0:o?.state??"draft";return`${qt({activity_id:e,state:s,...Ce(n,r,o)}).join(`
`)}
`}function Un({id:e,form:n,skus:r,sale:o}){let[s,a]=k({}),d=()=>{try{a({text:Lo(e,n,r,o)})}catch(p){a({error:p})}},c=()=>a({}),l=async()=>a({...s,copied:await Qe(s.text)});return i`<button type="button" class="quiet" id="file" onClick=${d}>${t("sale_file")}</button>
    ${(s.text||s.error)&&i`<${J} title=${t("sale_file")} close=${c}>
      <p class="muted">${t("sale_file_help")} <code>onrush activities apply -f ${e}.yaml</code></p>
      <${O} error=${s.error} />
      ${s.text&&i`<pre class="file" tabindex="0">${s.text}</pre>`}
      <p role="status" id="file-copy">${s.copied===!1&&t("copy_failed")}</p>
      <div class="row">
        ${s.text&&i`<button type="button" class="go" onClick=${l}>${t(s.copied?"copied":"copy")}</button>
          <a class="button" download="${e}.yaml"
            href=${`data:text/yaml;charset=utf-8,${encodeURIComponent(s.text)}`}>${t("download_file")}</a>`}
        <button type="button" class="quiet" onClick=${c}>${t("close")}</button></div><//>`}`}var Et=e=>Ne(`onrush.sale.${e??Se("","new")}`);function In(e){try{return JSON.parse(localStorage.getItem(Et(e)))??void 0}catch{return}}function Rn(e,n){try{return localStorage.setItem(Et(e),JSON.stringify(n)),!0}catch{return!1}}var je=e=>localStorage.removeItem(Et(e));function Bn(e){let[n,r]=k(""),o=j(!1);return P(()=>{if(!e)return;let a=l=>l.preventDefault(),d=l=>{let p=l.target.closest?.('a[href^="#/"]');!p||l.ctrlKey||l.metaKey||l.shiftKey||(l.preventDefault(),r(p.hash))},c=l=>{o.current||(l.preventDefault(),r(l.detail))};return addEventListener("beforeunload",a),document.addEventListener("click",d,!0),addEventListener(vt,c),()=>{removeEventListener("beforeunload",a),document.removeEventListener("click",d,!0),removeEventListener(vt,c)}},[e]),{target:n,stay:()=>r(""),go:a=>{o.current=!0,location.hash=a}}}function Fn({target:e,stay:n,go:r,discard:o}){return e?i`<${J} title=${t("leave_title")} close=${n}>
    <p class="muted">${t("leave_help")}</p>
    <div class="row">
      <button type="button" class="go" id="stay" onClick=${n}>${t("leave_stay")}</button>
      <button type="button" class="quiet" id="leave" onClick=${()=>r(e)}>${t("leave_keep")}</button>
      <button type="button" class="danger" id="leave-discard" onClick=${()=>{o(),r(e)}}>${t("leave_discard")}</button></div><//>`:null}function Gn({plan:e,apply:n,close:r}){return i`<${J} title=${t("edit_plan")} close=${r}>
    <${Oe} fields=${e.differences} />
    <div class="row"><button type="button" class="go" id="apply" onClick=${n}>${t("save")}</button>
      <button type="button" class="quiet" onClick=${r}>${t("cancel")}</button></div><//>`}var Ct=e=>/[*_`~#\\[<]|^[ \t]*([-+]|\d+[.)])[ \t]/m.test(e);function lt({text:e,kind:n=""}){let[{draw:r},o]=k({draw:void 0}),s=Ct(e);P(()=>{s&&!r&&import("./markdown-FRTYSIY7.js").then(o,()=>{})},[s]);let a=s&&r?.(e,i);return a?i`<div class="description formatted ${n}">${a}</div>`:i`<p class="description ${n}">${e}</p>`}function zn({form:e,skus:n}){let[r,o]=k(!1);return i`<button type="button" class="quiet" id="preview" onClick=${()=>o(!0)}>${t("preview")}</button>
    ${r&&i`<${J} title=${t("preview")} close=${()=>o(!1)}>
      <p class="muted">${t("preview_help")}</p>
      <article class="card preview">
        <${Fe} url=${e.image_url} title=${e.title||"?"} tone=${Ge(e.title)} />
        <p><span class="badge upcoming">${t("preview_starts",{time:q(e.starts_at)})}</span></p>
        <h3>${e.title||t("preview_untitled")}</h3>
        ${e.description&&i`<${lt} text=${e.description} />`}
        <p class="tags">
          ${Number(e.purchase_limit)>0&&i`<span>${t("preview_limit",{limit:e.purchase_limit})}</span>`}
          ${Number(e.paths_per_second)>0&&i`<span>${t("room")}</span>`}
          ${e.human_check!=="none"&&i`<span>${t("human_check")}</span>`}
          ${e.segments&&i`<span>${t("preview_segments")}</span>`}
          <span>${t("preview_pay",{minutes:e.pay_within})}</span></p>
        <ul class="list">${e.skus.map(s=>i`<li><${jo} sku=${s} skus=${n} /></li>`)}
        </ul></article>
      <button type="button" class="go" onClick=${()=>o(!1)}>${t("close")}</button><//>`}`}function jo({sku:e,skus:n}){let r=n.find(s=>s.sku_id===e.sku_id),o=e.stock.reduce((s,a)=>s+(Number(a.quantity)||0),0);return i`<div class="sku"><span class="name">${r?.title??e.sku_id}</span>
    <${Do} sku=${e} goods=${r} />
    <span class="muted">${t("preview_units",{units:o})}
      ${Number(e.purchase_limit)>0&&i` · ${t("preview_limit",{limit:e.purchase_limit})}`}</span></div>`}function Do({sku:e,goods:n}){let r;try{r=K(e.flash_price,e.currency??n?.currency)}catch{r=void 0}if(!n||r===void 0)return i`<span class="price">–</span>`;let o=e.currency??n.currency,s=o===n.currency&&r<n.price;return i`<span class="price">${L(r,o)}
    ${s&&i`<s>${L(n.price,n.currency)}</s>`}</span>`}var Kn=e=>e.replace(/\r?\n$/,"").split(/\r?\n/).map(n=>n.split("	").map(r=>r.trim()));function Mo(e){if(e==="")return"";let n=e.replace(/^[^\d.,-]+|[^\d.,]+$/g,"").replace(/\s/g,"");return/^\d{1,3}(,\d{3})+(\.\d+)?$/.test(n)&&(n=n.replaceAll(",","")),n=n.replace(/^(\d+),(\d+)$/,"$1.$2"),/^\d+(\.\d+)?$/.test(n)?n:void 0}var de=Se("","price"),ce=Se("","limit"),De=(e,n)=>e.toLowerCase()===n.toLowerCase(),Jn=(e,n,r,o)=>e.find(s=>s[n]===o)??e.find(s=>De(s[n],o)||De(s[r],o)),Lt=(e="",n)=>Jn(n,"sku_id","title",e);function Ao(e,n){return["flash_price","price",t("flash_price")].some(r=>De(r,e))?de:["purchase_limit","limit",t("sku_limit")].some(r=>De(r,e))?ce:De(t("units"),e)?"0":Jn(n,"point_id","name",e)?.point_id}function No(e,n,r,{skus:o,points:s}){let a=Lt(e[0][0],o)?e:e.slice(1);if(a.length>0&&e[0].length>1&&a.every(([d])=>Lt(d,o))){let d=a===e?r:e[0].slice(1).map(c=>Ao(c,s));return a.map(([c,...l])=>({id:Lt(c,o).sku_id,cells:l,columns:d}))}return e.map((d,c)=>({row:n.row+c,cells:d,columns:r.slice(Math.max(0,n.column))}))}function Uo(e,n,r,{skus:o,draft:s,started:a}){let d=Mo(r);if(!(d===void 0||n===void 0))return n===ce?{...e,purchase_limit:d}:n===de?a||d===""?void 0:{...e,flash_price:d}:!s||n!=="0"&&!ae(e.sku_id,o)?d===""?e:void 0:qe(e,n,d)}function Hn(e,n,r,o,s){let a=[...e.skus],d={filled:0,skipped:0};for(let c of No(n,r,o,s)){let l=c.row??a.findIndex(p=>p.sku_id===c.id);if(l<0&&s.draft){let p=s.skus.find(u=>u.sku_id===c.id);l=a.push({...Ee(p,s.points),stock:[]})-1}c.cells.forEach((p,u)=>{let y=a[l]&&Uo(a[l],c.columns[u],p,s);y&&(a[l]=y),d[y?"filled":"skipped"]+=1})}return{form:{...e,skus:a},...d}}function Wn(e,n,r){let o=n.map(d=>d===de?"flash_price":d===ce?"purchase_limit":r.find(c=>c.point_id===d)?.point_id??d),s=(d,c)=>c===de?d.flash_price:c===ce?d.purchase_limit:d.stock.find(l=>l.point_id===c)?.quantity??"",a=e.skus.map(d=>[d.sku_id,...n.map(c=>s(d,c))]);return[["sku_id",...o],...a].map(d=>d.join("	")).join(`
`)}var Io=(e,n)=>n.find(r=>r.sku_id===e)?.title??e;function Qn({form:e,change:n,skus:r,points:o,draft:s,started:a,wrong:d}){let[c,l]=k(),p=ct(e,o),u=ke(()=>p,[p.join()]),y=r.filter(S=>!e.skus.some(w=>w.sku_id===S.sku_id)),$=e.skus.map(S=>S.sku_id).join(),m=(S,w)=>n(T=>({skus:T.skus.map((E,V)=>V===S?{...E,...w(E)}:E)})),f=()=>n({skus:[...e.skus,Ee(y[0],o)]}),_=S=>n(w=>({skus:w.skus.filter((T,E)=>E!==S)})),v=S=>{let[,w,T,E="0"]=/^(sku|price|limit|units)-(\d+)(?:-(\d+))?$/.exec(S.target.name)??[],V=Kn(S.clipboardData.getData("text/plain"));if(!w||V.flat().length<2)return;S.preventDefault();let ue={sku:-1,price:0,limit:1,units:2+Number(E)}[w],ge={skus:r,points:o,draft:s,started:a},pe=Hn(e,V,{row:Number(T),column:ue},[de,ce,...u],ge);l({...pe,before:e}),n(pe.form)},x=()=>{n(c.before),l()};return i`<section class="card"><h2>${t("edit_skus")}</h2>
    ${r.length===0&&i`<p class="empty">${t("edit_no_skus")} <a href="#/goods">${t("menu_goods")}</a></p>`}
    <p class="muted">${t("edit_paste_help")}</p>
    ${e.skus.length>0&&i`<${Fo} ...${{form:e,set:m,remove:_,columns:u,skus:r,points:o,draft:s,started:a}}
      used=${$} wrong=${d} take=${v} />`}
    <div aria-live="polite">${c&&i`<p class="notice" id="pasted">
      ${t("pasted",{filled:h(c.filled)})}
      ${c.skipped>0&&i` ${t("pasted_skipped",{skipped:h(c.skipped)})}`}${" "}
      <button type="button" class="quiet" onClick=${x}>${t("undo")}</button></p>`}</div>
    <div class="row">
      ${s&&y.length>0&&i`<button type="button" class="quiet" id="add-sku" onClick=${f}>
        ${t("add_sku")}</button>`}
      ${s&&i`<${Bo} form=${e} change=${n} columns=${u} points=${o} skus=${r} />`}
      <${Ro} text=${()=>Wn(e,[de,ce,...u],o)} /></div></section>`}function Ro({text:e}){let[n,r]=k();return i`<button type="button" class="quiet" id="copy-table" onClick=${async()=>r(await Qe(e())?!0:{text:e()})}>
      ${t(n===!0?"copied":"copy_table")}</button>
    <div role="status" id="copy-failed">${n?.text&&i`<p>${t("copy_failed")}</p>
        <textarea readonly rows="4" aria-label=${t("copy_table")} value=${n.text}
          onFocus=${s=>s.target.select()}></textarea>`}</div>`}function Bo({form:e,change:n,columns:r,points:o,skus:s}){let a=o.filter(l=>!r.includes(l.point_id));if(a.length===0||!e.skus.some(l=>ae(l.sku_id,s)))return null;let d=l=>n({points:[...e.points??[],l.target.value]}),c=[["",t("add_point")],...a.map(l=>[l.point_id,l.name])];return i`<label class="inline"><span class="hidden">${t("add_point")}</span>
    <${wt} name="add-point" value="" options=${c} onChange=${d} /></label>`}function Fo({form:e,set:n,remove:r,columns:o,skus:s,points:a,draft:d,started:c,used:l,wrong:p,take:u}){let y=e.skus.some(m=>ae(m.sku_id,s)),$=m=>y?a.find(f=>f.point_id===m)?.name??m:t("units");return i`<div class="table grid" tabindex="0" role="region" aria-label=${t("edit_skus")}><table onPaste=${u}>
    <thead><tr><th scope="col">${t("sku")}</th>
      <th scope="col">${t("flash_price")}${c&&i`<${Vn} why=${t("locked_started")} />`}</th>
      <th scope="col">${t("sku_limit")}
        ${c&&i`<span class="muted">${t("only_raised")}</span>`}</th>
      ${o.map(m=>i`<th scope="col">${$(m)}
        ${y&&i`<span class="muted">${t("units")}</span>`}
        ${!d&&i`<${Vn} why=${t("edit_stock_live")} />`}</th>`)}
      ${d&&i`<th><span class="hidden">${t("remove_sku")}</span></th>`}</tr></thead>
    <tbody>${e.skus.map((m,f)=>i`
      <${jt} key=${f} ...${{sku:m,i:f,set:n,remove:r,columns:o,skus:s,draft:d,started:c,used:l,wrong:p,nameOf:$}}
        only=${e.skus.length===1} delivered=${y} />`)}</tbody></table></div>
    ${!d&&i`<p class="muted locked"><${Be} name="lock" /> ${t("edit_stock_live")}</p>`}
    ${c&&i`<p class="muted locked"><${Be} name="lock" /> ${t("locked_started_price")}</p>`}`}function Vn({why:e}){return i` <span class="lock" title=${e}><${Be} name="lock" /><span class="hidden">${e}</span></span>`}var Go=["sku","i","columns","used","draft","started","wrong","only","delivered"],jt=class extends Ae{shouldComponentUpdate(n){return Go.some(r=>n[r]!==this.props[r])}render({sku:n,i:r,set:o,remove:s,columns:a,skus:d,draft:c,started:l,used:p,wrong:u,only:y,nameOf:$}){let m=Io(n.sku_id,d),f=p.split(","),v=d.filter(w=>w.sku_id===n.sku_id||!f.includes(w.sku_id)).map(w=>[w.sku_id,w.title]);v.some(([w])=>w===n.sku_id)||v.unshift([n.sku_id,n.sku_id]);let x=w=>{let T=w.target.value,E=ae(T,d)?void 0:qe({stock:[]},"0",Ko(n));o(r,()=>({sku_id:T,flash_price:jn(T,d),currency:Pe(T,d),...E}))},S=(w,T,E,V,ue)=>i`<td data-name=${T}>
      <${zo} name=${w} label=${`${m}: ${T}`} value=${E} error=${u[w]}
        onInput=${ge=>o(r,pe=>V(pe,ge.target.value))} ...${ue} /></td>`;return i`<tr>
      <td data-name=${t("sku")}><${wt} name="sku-${r}" aria-label=${t("sku")} value=${n.sku_id}
          disabled=${!c} options=${v} onChange=${x} aria-invalid=${!!u[`sku-${r}`]}
          aria-describedby=${u[`sku-${r}`]&&`wrong-sku-${r}`} />
        ${u[`sku-${r}`]&&i`<p class="bad" id="wrong-sku-${r}">${u[`sku-${r}`]}</p>`}
        <p class="muted">${Jo(n.sku_id,d)}</p></td>
      ${S(`price-${r}`,t("flash_price"),n.flash_price,(w,T)=>({flash_price:T}),{required:!0,disabled:l})}
      ${S(`limit-${r}`,t("sku_limit"),n.purchase_limit,(w,T)=>({purchase_limit:T}),{min:1,placeholder:t("no_limit")})}
      ${a.map((w,T)=>w!=="0"&&!ae(n.sku_id,d)?i`<td data-name=${$(w)} class="none" title=${t("not_delivered")}>
              <span aria-hidden="true">–</span><span class="hidden">${t("not_delivered")}</span></td>`:S(`units-${r}-${T}`,$(w),n.stock.find(E=>E.point_id===w)?.quantity??"",(E,V)=>qe(E,w,V),{disabled:!c,required:n.stock.length===0}))}
      ${c&&i`<td><button type="button" class="quiet square" disabled=${y}
          title=${y?t("remove_sku_last"):t("remove_sku")} aria-label=${`${m}: ${t("remove_sku")}`}
          onClick=${()=>s(r)}>×</button></td>`}</tr>`}};function zo({name:e,label:n,error:r,...o}){return i`<input name=${e} type="number" min="0" step="any" aria-label=${n} onKeyDown=${a=>{if(a.key!=="Enter")return;a.preventDefault();let d=e.replace(/-(\d+)/,(c,l)=>`-${Number(l)+1}`);document.querySelector(`.edit [name="${d}"]`)?.select()}}
      aria-invalid=${!!r} aria-describedby=${r&&`wrong-${e}`} ...${o} />
    ${r&&i`<p class="bad" id="wrong-${e}">${r}</p>`}`}var Ko=e=>e.stock.reduce((n,r)=>n+Number(r.quantity),0);function Jo(e,n){let r=n.find(o=>o.sku_id===e);return r?t("list_price_is",{price:L(r.price,Pe(e,n))}):""}var Ho=e=>new Promise(n=>{let r=new Image;r.onload=()=>n(!0),r.onerror=()=>n(!1),r.src=e});function Wo(e){let[n,r]=k([]);return P(()=>{let o=!0,s=[...new Set(e.filter(Boolean))];return Promise.all(s.map(Ho)).then(a=>{let c=s.filter((l,p)=>!a[p]).map(l=>({check:"pictures",level:"warning",detail:l}));o&&r(c.length>0?c:[{check:"pictures",level:"ok"}])}),()=>{o=!1}},[e.join(" ")]),n}function Yn({checks:e,pictures:n,publish:r,then:o}){let s=tn(e),a=[...e,...Wo(n)],d=a.some(l=>l.level==="failure"),c=l=>{let p=`check_${l.check}_${l.level}`,u=["limits","prices","stock","times"].includes(l.check)||l.level==="ok";return i`${ve(p)?t(p,{sku:l.sku_id??"",point:l.point_id??""}):l.detail}
      ${ve(p)&&!u&&i`<span class="muted">${l.detail}</span>`}`};return i`<section class="card checks" id="checks" ref=${s} tabindex="-1" aria-labelledby="checks-title">
    <h2 id="checks-title">${t("checks")}</h2>
    <ul>${a.map(l=>i`<li class=${l.level}>
      <span class="level">${t(`level_${l.level}`)}</span> ${c(l)}</li>`)}</ul>
    ${d?i`<p class="bad">${t("checks_failed")}</p>`:i`<${g} route="POST /activities/{activity_id}/publish" label=${t("publish")} kind="go large"
            id="publish" run=${r} then=${o} />`}</section>`}function Vo({id:e}){let{value:n,error:r,reload:o}=A(async()=>{let[s,a,d,c]=await Promise.all([e?b("GET",`/activities/${encodeURIComponent(e)}`):void 0,e?G("/skus",{activity_id:e}):[],G("/skus"),G("/points")]),l=new Map([...a,...d].map(p=>[p.sku_id,p]));return{sale:s,skus:[...l.values()],points:c}});return n?i`<${Zo} ...${n} />`:r?i`<${O} error=${r} retry=${o} />`:i`<${D} />`}function Qo(e,n,r){let o=ke(()=>In(e?.activity_id),[]),[s,a]=k(()=>e?.activity_id??o?.id??xe()),[d,c]=k(()=>e?se(e,n):o?.base??Pt(n,r)),[l,p]=k(()=>o?Le(o.base,o.form,d):d),[u,y]=k(!0),[$,m]=k(o?.at),[f,_]=k(!e),v=!Te(l,d);P(()=>{let T=f?void 0:s;v?y(Rn(T,{form:l,base:d,id:s,at:new Date().toISOString()})):je(T)},[l,d,s]);let x=()=>a(xe());return{id:s,base:d,setBase:c,form:l,setForm:p,unsaved:v,isKept:u,saved:T=>{f&&je(void 0),_(!1),m(),c(se(T,n)),p(E=>Le(l,E,se(T,n)))},discard:()=>{let T=f?Pt(n,r):d;m(),c(T),p(T),f&&x()},renew:x,restored:v&&$}}async function Yo(e,n,r){try{return await b("PUT",e,{body:n,create:!0})}catch(o){if(!Zt(o))throw o;let s=await b("GET",e);if(s.state==="draft"&&Te(Ce(se(s,r),r,s),n))return s;throw o}}function Zo({sale:e,skus:n,points:r}){let[o,s]=k(e),a=Qo(e,n,r),{id:d,base:c,setBase:l,form:p,setForm:u,unsaved:y,isKept:$,saved:m,restored:f}=a,[_,v]=k({}),x=Bn(y),S=!o||o.state==="draft",w=!S&&te(o)!=="upcoming",T=Q=>{u(I=>({...I,...typeof Q=="function"?Q(I):Q})),v(I=>I.busy?I:{})},E=`/activities/${d}`,V=Q=>async()=>{try{let I=await b("GET",E);s(I),l(se(I,n)),u(Q?Le(o?c:{},p,se(I,n)):se(I,n)),v({})}catch(I){v({error:I})}},ue=Q=>async I=>{I?.preventDefault(),v({busy:!0});let Y;try{if(Y=Ce(p,n,o),!S){let kt=await b("PUT",`${E}/file?dry_run=true`,{version:o.version,body:Y});kt.differences.length===0&&m(o),v(kt.differences.length===0?{saved:!0}:{plan:kt,body:Y});return}let $e=await(o?b("PUT",E,{version:o.version,body:Y}):Yo(E,Y,n));s($e),m($e),o||history.replaceState(null,"",`#/edit/${$e.activity_id}`),v(await Q($e))}catch($e){v({error:$e,body:Y})}},ge=async({plan:Q,body:I})=>{v({busy:!0});try{await b("PUT",`${E}/file`,{version:Q.version,body:I});let Y=await b("GET",E);s(Y),m(Y),v({saved:!0})}catch(Y){v({error:Y,body:I})}},pe=()=>{a.renew(),v({})},to=async Q=>({checks:(await b("GET",`/activities/${Q.activity_id}/checks`)).items}),gt=ke(()=>Mn(_.error,_.body,p,ct(p,r)),[_.error]);return P(()=>{_.error&&document.querySelector(".edit [aria-invalid=true]")?.focus()},[_.error]),i`<${os} sale=${o} draft=${S} path=${E} closed=${s}
      gone=${()=>x.go("#/sales")} />
    ${!S&&i`<p class="notice">${t("edit_published")}</p>`}
    ${f&&i`<p class="notice" id="restored">${t("edit_restored",{time:q(f)})}${" "}
      <button type="button" class="quiet" onClick=${a.discard}>${t("edit_discard")}</button></p>`}
    <form class="edit" onSubmit=${ue(async()=>({saved:!0}))}>
      <${Xo} form=${p} change=${T} wrong=${gt.fields} draft=${S} started=${w}>
        <${Qn} form=${p} change=${T} skus=${n} points=${r} draft=${S} started=${w}
          wrong=${gt.fields} /><//>
      ${!w&&i`<${mn} id=${d} form=${p} />`}
      <${An} error=${_.error} wrong=${gt} form=${p} mine=${V(!0)} theirs=${V(!1)}
        apart=${!o&&pe} />
      <div class="bar-row row"><${ss} draft=${S} busy=${_.busy} check=${ue(to)} />
        <${zn} form=${p} skus=${n} /><${Un} id=${d} form=${p} skus=${n} sale=${o} />
        <${es} saved=${_.saved} unsaved=${y} isKept=${$} /></div>
      ${_.checks&&i`<${Yn} checks=${_.checks} pictures=${ts(o,n)} publish=${()=>ns(o)}
        then=${rs} />`}
    </form>
    ${_.plan&&i`<${Gn} plan=${_.plan} apply=${()=>ge(_)} close=${()=>v({})} />`}
    <${Fn} ...${x} discard=${()=>je(o?.activity_id)} />`}function Xo({form:e,change:n,wrong:r,draft:o,started:s,children:a}){let d=m=>({name:m,value:e[m],onInput:f=>n({[m]:f.target.value})}),c=(m,f)=>i`<${nn} label=${t(m)} error=${r[m]} ...${d(m)} ...${f} />`,l={options:["none","pow","captcha"].map(m=>[m,t(`human_${m}`)]),onChange:m=>n({human_check:m.target.value})},p={placeholder:"10/1",pattern:"[1-9]\\d*/[1-9]\\d*",help:t("limit_form")},u=m=>{let f=new Date(e[m]);if(!Number.isNaN(f.getTime()))return f<new Date?t("time_past",{time:q(f)}):q(f)},y=s?t("locked_started"):void 0,$=o?void 0:t("locked_published");return i`<section class="card"><h2>${t("edit_what")}</h2>
      ${c("title",{required:!0,maxlength:200})}
      ${c("description",{type:"textarea",maxlength:5e3,help:t("description_help")})}
      <div class="columns">
        ${c("image_url",{inputmode:"url",maxlength:500})}
        ${c("shop_id",{required:!0,...ne,locked:$})}</div></section>
    <section class="card"><h2>${t("edit_when")}</h2><div class="columns">
      ${c("starts_at",{type:"datetime-local",required:!0,locked:y,help:u("starts_at")})}
      ${c("ends_at",{type:"datetime-local",required:!0,help:u("ends_at")})}
      ${c("pay_within",{type:"number",min:1/60,required:!0,locked:$,help:t("pay_within_help")})}</div></section>
    ${a}
    <section class="card"><h2>${t("edit_gates")}</h2><p class="muted">${t("edit_gates_help")}</p><div class="columns">
      ${c("purchase_limit",{type:"number",min:1,help:t(s?"only_raised":"none_if_empty")})}
      ${c("permit_ratio",{type:"number",min:1,max:100,help:t("permit_ratio_help")})}
      ${c("human_check",l)}
      ${c("paths_per_second",{type:"number",min:.01,help:t("waiting_room_help")})}
      ${["item","user","ip"].map(m=>c(`limit_${m}`,p))}
      ${c("segments",{help:t("segments_help"),maxlength:600})}</div></section>`}function es({saved:e,unsaved:n,isKept:r}){return i`<div class="saved" aria-live="polite">
    ${e&&!n&&i`<p class="good" id="saved">${t("saved")}</p>`}
    ${n&&i`<p class="muted" id="unsaved">${t(r?"unsaved":"unsaved_not_kept")}</p>`}</div>`}var ts=(e,n)=>[e.image_url,...e.skus.map(r=>n.find(o=>o.sku_id===r.sku_id)?.image_url)],ns=e=>b("POST",`/activities/${e.activity_id}/publish`,{version:e.version}),rs=e=>{location.hash=`#/live/${e.activity_id}`};function os({sale:e,draft:n,path:r,closed:o,gone:s}){if(!e)return i`<div class="row heading"><h1>${t("new_sale")}</h1></div>`;let a=(d,c,l=e.version)=>b("DELETE",r,{version:l});return i`<div class="row heading"><h1>${e.title}</h1><${he} sale=${e} />
      ${!n&&i`<a class="button" href="#/live/${e.activity_id}">${t("show_live")}</a>`}
      <${st} sale=${e} /><${it} sale=${e} then=${o} />
      ${n&&i`<${g} route="DELETE /activities/{activity_id}" label=${t("delete")}
          title=${t("delete_title",{name:e.title})} kind="danger"
        help=${t("delete_draft_help")}
        run=${a} then=${()=>{je(e.activity_id),s()}} />`}</div>`}function ss({draft:e,busy:n,check:r}){return i`<button class=${e?"quiet":"go"} id="save" disabled=${n}>
      ${t(e?"save_draft":"save")}</button>
    ${e&&i`<button type="button" class="go" id="check" disabled=${n}
      onClick=${o=>o.target.form.reportValidity()&&r()}>${t("check_and_publish")}</button>`}`}var is=/^[!-~]{1,64}$/,as=/^"((?:[^"]|"")*)"$/,ds=/^="((?:[^"]|"")*)"$/,cs=/^([+-]?\d([.,]\d+)?E[+-]\d+|#(N\/A|NV|NAME|\S*[!?]|#+))$/i,be="(0?[1-9]|[12]\\d|3[01])",Dt="(0?[1-9]|1[0-2])",ut="(\\d{2}|[12]\\d{3})",Zn="([Jj]an|[Ff]eb|[Mm]ar|[Aa]pr|[Mm]ay|[Jj]un|[Jj]ul|[Aa]ug|[Ss]ept?|[Oo]ct|[Nn]ov|[Dd]ec)",ls=[`${be}\\.${Dt}\\.${ut}`,`${be}/${be}/${ut}`,`[12]\\d{3}-${Dt}-${be}`,`[12]\\d{3}/${Dt}/${be}`,`${Zn}-${ut}`,`${be}-${Zn}(-${ut})?`],us=new RegExp(`^(${ls.join("|")})$`),ps=/(code|voucher|coupon|key|pin|serial|number)s?$/i,Xn=e=>/\d/.test(e),er=(e,n)=>e.exec(n)?.[1].replaceAll('""','"').trim();function $s(e){let n=er(as,e),r=er(ds,n??e);return r!==void 0?r:n===void 0&&/^=?"|[,;\t]/.test(e)?"":(n??e).replace(/^'/,"").trim()}function ms(e){return e.length===0||Xn(e[0])?!1:ps.test(e[0])||e.length>1&&e.slice(1).every(Xn)}function Mt(e="",n=!0){let r={codes:[],wrong:[]},o=0;return e.split(`
`).forEach((s,a)=>{if(!s.trim())return;let d=$s(s.trim()),c=n&&(cs.test(d)||us.test(d));if(!is.test(d)||c)return r.wrong.push(a+1);o||=a+1,r.codes.push(d)}),n&&ms(r.codes)&&r.wrong.unshift(o),r}var tr=1e4,At=1e5,nr=5,fs=e=>t("codes_refused",{count:h(e.length),lines:e.slice(0,nr).join(", ")+(e.length>nr?" …":"")}),rr=()=>t("codes_most",{most:h(At)});function or({codes:e},n){let r=Mt(e,n),o=t("codes_counted",{codes:h(r.codes.length)});return i`${o}${r.wrong.length>0&&i`<br />${fs(r.wrong)}`}`}async function _s({target:e}){let[n]=e.files;if(e.setCustomValidity(n?.size>At*66?rr():""),!n||!e.reportValidity())return;let{codes:r}=e.form.elements;r.value=await n.text(),r.dispatchEvent(new Event("input",{bubbles:!0}))}function sr(e,n){let{codes:r,wrong:o}=Mt(e,n);if(o.length)throw new Error(t("codes_nothing"));if(r.length>At)throw new Error(rr());return r}function ir(e,n){let r=j({text:"",key:""});return async(o,s={})=>{let a=JSON.stringify([o,s]);r.current.text!==a&&(r.current={text:a,key:xe()});let d=[];for(let c=0;c===0||c<o.length;c+=tr){let l={...s,codes:o.slice(c,c+tr)},p=`/skus/${encodeURIComponent(e.sku_id)}/vouchers:${n}`;d.push(await b("POST",p,{key:`${r.current.key}-${c}`,body:l}))}return r.current={text:"",key:""},d}}var ar=({done:e,sku:n,...r})=>t(`codes_${e}`,{sku:n,...Object.fromEntries(Object.entries(r).map(([o,s])=>[o,h(s)]))}),dr=e=>[{name:"codes",label:t("codes"),type:"textarea",rows:8,required:e,spellcheck:!1},{name:"file",label:t("codes_file"),type:"file",accept:".txt,.csv,text/plain",onChange:_s}];function cr({sku:e,then:n}){let r=ir(e,"import"),o=async({codes:s})=>{let a={imported:0,known:0,repeated:0};for(let{accepted:d,skipped:c}of await r(sr(s,!0))){a.imported+=d;for(let{reason:l}of c)a[l]+=1}return{done:"imported",sku:e.sku_id,...a}};return i`<${g} route="POST /skus/{sku_id}/vouchers:import" id="import-${e.sku_id}"
    label=${t("import_codes")} title=${t("import_codes_title",{name:e.title})} help=${t("import_codes_help")}
    fields=${dr(!0)} preview=${s=>or(s,!0)} run=${o} then=${n} />`}function lr({sku:e,then:n}){let r=ir(e,"withdraw"),o=async({codes:c,all:l})=>{let p=[...new Set(sr(c,!1))];if(!!l==p.length>0)throw new Error(t("withdraw_codes_which"));let y=(await r(p,{all:!!l})).reduce(($,m)=>$+m.withdrawn,0);return{done:"withdrawn",sku:e.sku_id,withdrawn:y,kept:l?0:p.length-y}},s=t("type_to_confirm",{what:e.sku_id}),a=[...dr(!1),{name:"all",label:t("withdraw_codes_all"),type:"checkbox"},{name:"confirm",label:s,required:!0,pattern:e.sku_id.replaceAll(".","\\.")}],d=c=>c.all&&!c.codes?t("withdraw_codes_all"):or(c,!1);return i`<${g} route="POST /skus/{sku_id}/vouchers:withdraw" id="withdraw-${e.sku_id}" kind="danger"
    label=${t("withdraw_codes")} title=${t("withdraw_codes")} help=${t("withdraw_codes_help")} fields=${a}
    preview=${d} run=${o} then=${n} />`}var hs=()=>["physical","virtual","voucher"].map(e=>[e,t(`kind_${e}`)]),pt=e=>`/skus/${encodeURIComponent(e)}`;function ur(e){let n=r=>e?Z(r,e.currency):"";return[...e?[]:[{name:"sku_id",label:t("sku_id"),required:!0,...ne}],{name:"title",label:t("title"),required:!0,maxlength:200,initial:e?.title},{name:"description",label:t("description"),help:t("description_help"),type:"textarea",maxlength:2e3,initial:e?.description},{name:"shop_id",label:t("shop_id"),required:!0,...ne,initial:e?.shop_id},{name:"kind",label:t("kind"),options:hs(),initial:e?.kind},{name:"currency",label:t("currency"),required:!0,pattern:"[A-Z]{3}",initial:e?.currency??"CNY"},{name:"price",label:t("list_price"),type:"number",min:0,required:!0,initial:n(e?.price)},{name:"fee",of:"freight.fee",label:t("freight"),type:"number",min:0,initial:n(e?.freight.fee)},{name:"free_over",of:"freight.free_over",label:t("free_over"),help:t("free_over_help"),type:"number",min:0,initial:n(e?.freight.free_over)},{name:"required_fields",label:t("required_fields"),help:t("required_fields_help"),type:"textarea",maxlength:1500,initial:e?.required_fields?.join(`
`)},{name:"image_url",label:t("image_url"),maxlength:500,initial:e?.image_url},...e?[]:[{name:"stock",label:t("ordinary_stock"),type:"number",min:0,initial:0}]]}var pr=e=>(n,r,o)=>Ke(e,pt(e?.sku_id??n.sku_id),{body:{title:n.title,description:n.description,shop_id:n.shop_id,kind:n.kind,currency:n.currency,image_url:n.image_url,required_fields:n.required_fields.split(`
`).map(s=>s.trim()).filter(Boolean),price:K(n.price,n.currency),freight:{fee:K(n.fee,n.currency)??0,free_over:K(n.free_over,n.currency)??0},...n.stock&&{stock:Number(n.stock)}}},o),$r=({description:e=""})=>Ct(e)&&i`<${lt} text=${e} />`;function ys({query:e}){let n=new URLSearchParams(e).get("sku_id");return n?i`<${bs} id=${n} />`:i`<${gs} />`}function bs({id:e}){return i`<${mr} list=${He(pt(e))}><p><a href="#/goods">${t("all_goods")}</a></p><//>`}function gs(){let[e,n]=k({shop_id:""}),r=F("/skus",e);return i`<${mr} list=${r}><${ee} values=${e} change=${n}
    fields=${[{name:"shop_id",label:t("shop_id"),maxlength:ne.maxlength}]} /><//>`}function mr({list:e,children:n}){let[r,o]=k(),s=[[i`<span class="hidden">${t("image_url")}</span>`,a=>i`<span class="thumb">
      <${Fe} url=${a.image_url} title=${a.title} tone=${Ge(a.sku_id)} /></span>`,"thumbnail"],[t("title"),a=>i`<b>${a.title}</b><p class="muted"><code>${a.sku_id}</code></p>`,"lead wide"],[t("shop"),a=>a.shop_id,"named"],[t("kind"),a=>t(`kind_${a.kind}`)],[t("list_price"),a=>L(a.price,a.currency),"number named"],[t("freight"),a=>L(a.freight.fee,a.currency),"number named"],[t("ordinary_stock"),a=>h(a.stock),"number named"],["",a=>i`<div class="row actions many">
      <${g} route="PUT /skus/{sku_id}"
        label=${t("edit")} title=${t("edit")} fields=${ur(a)} run=${pr(a)} then=${e.reload}
        preview=${$r} />
      <${ks} sku=${a} then=${e.reload} />
      ${a.kind==="voucher"&&i`<${cr} sku=${a} then=${o} /><${lr} sku=${a} then=${o} />`}
      <${g} route="DELETE /skus/{sku_id}"
        label=${t("delete")} title=${t("delete_title",{name:a.title})} kind="danger"
        help=${t("delete_sku_help")}
        run=${(d,c,l=a.version)=>b("DELETE",pt(a.sku_id),{version:l})}
        then=${e.reload} /></div>`,"tools"]];return i`<div class="row heading"><h1>${t("menu_goods")}</h1>
      <${g} route="PUT /skus/{sku_id}"
        label=${t("new_sku")} title=${t("new_sku")} kind="go" fields=${ur()} run=${pr()}
        then=${e.reload} preview=${$r} /></div>
    ${n}
    <p role="status" id="codes" class=${r?"notice":""}>${r&&ar(r)}</p>
    <${z} list=${e} name=${t("menu_goods")} columns=${s} empty=${t("goods_none")}
      keyOf=${a=>a.sku_id} />`}function ks({sku:e,then:n}){let r=`${pt(e.sku_id)}/stock`,o=(c,l)=>t(l,{sku:e.title,before:h(e.stock),after:h(nt(e.stock,c))}),s=(c,l)=>b("POST",r,{key:l,body:{delta:c}}),a=(c,l,p=e.stock_version)=>c.how==="set"?b("PUT",r,{version:p,body:{stock:Number(c.units)}}):s(ye(c),l),d=(c,l)=>{let p=l.how==="set"?e.stock-Number(l.units):-ye(l);return p!==0&&(u=>s(p,u))};return i`<${g} route="POST /skus/{sku_id}/stock" label=${t("change_stock")} title=${t("change_stock")}
    help=${t("set_stock_help")} id="stock-${e.sku_id}" fields=${tt()} run=${a} then=${n}
    preview=${c=>o(c,"goods_stock_preview")} done=${(c,l)=>o(l,"done_goods_stock")}
    undo=${d} />`}var vs=["till","support","catalogue","read","events","payments","admin"];function fr(e){return e.revoked_at?"revoked":e.expires_at&&Date.parse(e.expires_at)<=Ie()?"expired":"active"}function ws({revoked_at:e,revoked_by:n,expires_at:r}){return e?i`<${M} at=${e} /><p class="muted">${n}</p>`:r?i`<${M} at=${r} />`:t("no_end")}function xs(){let e=F("/keys"),[n,r]=k(),o=[{name:"name",label:t("name"),help:t("key_name_help"),required:!0,maxlength:60},{name:"scope",label:t("scope"),options:vs.map(c=>[c,t(`scope_${c}`)]),initial:"till"},{name:"until",of:"expires_at",label:t("key_until"),help:t("key_until_help"),type:"datetime-local"}],s=({name:c,scope:l,until:p},u)=>b("POST","/keys",{key:u,body:{name:c,scope:l,...p&&{expires_at:new Date(p).toISOString()}}}),a=c=>{r(c),e.reload()},d=[[t("name"),c=>i`<b>${c.name}</b>`,"lead"],[t("scope"),c=>i`<span title=${t(`scope_${c.scope}_help`)}>${t(`scope_${c.scope}`)}</span>`],[t("state"),c=>i`<${B} state=${fr(c)} />`],[N(t("last_used")),c=>c.last_used_at?i`<${M} at=${c.last_used_at} />`:t("never"),"named"],[N(t("made")),c=>i`<${M} at=${c.created_at} /><p class="muted">${c.created_by}</p>`,"named"],[N(t("ends")),ws,"named"],["",c=>fr(c)==="active"&&i`<${g} label=${t("revoke")} title=${t("revoke_title",{name:c.name})} help=${t("revoke_help")}
        kind="danger" id="revoke-${c.key_id}" run=${()=>b("DELETE",`/keys/${c.key_id}`)} then=${e.reload} />`,"tools"]];return i`<div class="row heading"><h1>${t("menu_keys")}</h1>
      <${g} label=${t("new_key")} kind="go" id="new-key" title=${t("new_key")} fields=${o} run=${s}
        then=${a} preview=${({scope:c="till"})=>t(`scope_${c}_help`)} /></div>
    <p class="muted">${t("keys_help")}</p>
    <${z} list=${e} name=${t("menu_keys")} columns=${d} empty=${t("keys_none")}
      keyOf=${c=>c.key_id} />
    ${n&&i`<${pn} title=${t("key_made",{name:n.name})} help=${t("key_made_help")} secret=${n.secret}
        close=${()=>r()} />`}`}var hr=1e3,Os=300;async function _r(e){let n=e&&{method:"POST",headers:{"Content-Type":"application/json"},body:JSON.stringify(e)},r=await Ht(zt("/dev/crowd"),n||{}).catch(()=>{throw{code:"unreachable"}}),o=await r.json();if(!r.ok)throw o;return o}function Ss(e){let[n,r]=k(),[o,s]=k(),[a,d]=k(""),[c,l]=k(0),p=j(!1),u=!!n?.running;return P(()=>{let $=!0,m=setTimeout(()=>_r().then(f=>{if($){if(f.activity_id!==e||!f.buyers){r(void 0);return}r(f),f.running&&s(),u&&!f.running&&d(t("crowd_ended",{ordered:h(f.ordered),refused:h(f.refused),drift:h(f.drift)})),l(_=>_+(f.running?1:0))}},()=>$&&l(f=>f+(u?1:0))),u?Os:0);return()=>{$=!1,clearTimeout(m)}},[e,c]),{crowd:n,error:o,said:a,running:u,send:async()=>{if(!p.current){p.current=!0,s();try{let $=await _r({activity_id:e,buyers:hr});r($),d(t("crowd_begun",{count:h($.buyers)}))}catch($){s($)}p.current=!1,l($=>$+1)}}}}function yr({activity:e,sells:n=!0}){let{crowd:r,error:o,said:s,running:a,send:d}=Ss(e);if(!n&&!r)return null;let c=h(hr),l=t(r?"crowd_again":"crowd_send",{count:c}),p=a?t("crowd_running",{count:h(r.buyers)}):l;return i`<section class="crowd card" aria-labelledby="crowd-title">
    <div class="crowd-head"><div><span class="badge">${t("crowd_demo")}</span>
        <h2 id="crowd-title">${t("crowd_title",{count:c})}</h2>
        <p class="muted">${t("crowd_help")}</p></div>
      <button
        id="send-crowd"
        class="large"
        disabled=${a||!n}
        onClick=${d}
      >${p}</button></div>
    ${o?.code==="conflict"?i`<p class="problem" role="alert">${t("crowd_busy")}</p>`:i`<${O} error=${o} />`}
    ${r&&i`<${Ts} crowd=${r} />`}
    <p class="hidden" role="status">${s}</p>
  </section>`}function Ts({crowd:e}){let n=[["bought",e.ordered],["refused",e.refused],["waiting",e.waiting]],r=Math.max(e.elapsed_ms,1)/1e3,o=e.units_before-e.units_left,s=e.ok!==void 0,a=!e.running&&o===e.ordered,d={sold:h(o),total:h(e.units_before)},c=e.drift===0?"good":"bad",l=(p,u,y="")=>i`<div class="fact ${p} ${y}"><dt>${t(`crowd_${p}`)}</dt>
    <dd>${u}${y==="good"&&i`<span aria-hidden="true"> ✓</span>`}</dd></div>`;return i`<div class="outcome ${e.running?"running":"over"}">
    <div class="crowd-bar" aria-hidden="true">${n.map(([p,u])=>i`
      <span class=${p} style=${{width:`${100*u/e.buyers}%`}}></span>`)}</div>
    <dl class="crowd-numbers">${n.map(([p,u])=>i`<div class=${p}>
      <dt>${t(`crowd_${p}`)}</dt><dd>${h(u)}</dd></div>`)}</dl>
    <dl class="crowd-facts">
      ${l("sold",t("crowd_sold_of",d),a?"good":"")}
      ${l("drift",s?h(e.drift):"…",s?c:"")}
      ${l("rate",h(Math.round(e.requests/r)))}
      ${l("time",t("crowd_seconds",{seconds:r.toFixed(1)}))}</dl>
    <${Ps} answers=${e.answers} /></div>`}function Ps({answers:e}){let n={};for(let[s,a]of Object.entries(e)){let d=s.slice(s.indexOf(":")+1);d!=="ok"&&(n[d]=(n[d]??0)+a)}let r=Object.entries(n).sort(([,s],[,a])=>a-s);if(r.length===0)return null;let[[,o]]=r;return i`<div class="told"><h3>${t("crowd_told")}</h3>
    <ul>${r.map(([s,a])=>i`<li key=${s}><span>${qs(s)}</span><b>${h(a)} ×</b>
      <span class="told-bar" aria-hidden="true">
        <span style=${{width:`${100*a/o}%`}}></span></span></li>`)}</ul></div>`}function qs(e){for(let n of[`crowd_told_${e}`,`problem_${e}`])if(ve(n))return t(n);return e}function Es(e){return e.ok?!0:e.changes_stuck>0&&e.bought_wrong===0&&_e([...e.items,...e.totals])===0}function Cs(e){let n=new Map;for(let r of e)n.has(r.sku_id)||n.set(r.sku_id,[]),n.get(r.sku_id).push(r);return[...n].map(([r,o])=>({sku_id:r,points:o,...an(o)}))}function br({audit:e,sale:n,again:r}){let o=Cs(e.items),s=o.map(u=>u.sku_id),[a,d]=k(()=>new Set(s.length<=10?s:[])),c=u=>d(y=>{let $=new Set(y);return $.delete(u)||$.add(u),$}),l=a.size===s.length,p=Es(e);return i`<section class="account"><div class="row heading"><h2>${t("account")}</h2>
      <span class="badge ${ie(p)}">${t(p?"account_ok":"account_wrong")}</span>
      ${!p&&i`<${g} route="POST /activities/{activity_id}/audit/repair"
          label=${t("repair")} title=${t("repair")} help=${t("repair_help")} kind="danger"
        run=${(u,y)=>b("POST",`/activities/${n.activity_id}/audit/repair`,{key:y})} then=${r} />`}
      <button class="quiet" id="all-points" onClick=${()=>d(new Set(l?[]:s))}>
        ${t(l?"fold_points":"show_points")}</button></div>
    <p class="muted">${t("account_rule")}</p>
    ${e.changes_pending>0&&i`<p class="notice">
      ${t("changes_pending",{changes:h(e.changes_pending)})}${" "}
      ${e.changes_stuck>0&&t("changes_stuck",{changes:h(e.changes_stuck)})}</p>`}
    <div class="table wide" tabindex="0" role="region" aria-label=${t("account")}><table role="table">
      <thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">${t("sku")}</th>
        <th scope="col" role="columnheader">${t("point")}</th>
        ${We.map(u=>i`
        <th scope="col" role="columnheader" class="number">${t(`units_${u}`)}</th>`)}</tr></thead>
      ${o.map(u=>i`<tbody role="rowgroup" key=${u.sku_id}>
        <${$t} sku=${u.sku_id} values=${u} open=${a.has(u.sku_id)} toggle=${c} />
        ${a.has(u.sku_id)&&u.points.map(y=>i`
          <${$t} key=${y.point_id} point=${y.point_id} values=${y} />`)}</tbody>`)}
    </table></div></section>`}var $t=class extends Ae{shouldComponentUpdate(n){return n.open!==this.props.open||We.some(r=>n.values[r]!==this.props.values[r])}render({sku:n,point:r,values:o,open:s,toggle:a}){return i`<tr class=${n?"sum":""} role="row">
      <td class="name" role="cell">${n&&i`<button class="fold" aria-expanded=${s} onClick=${()=>a(n)}>${n}</button>`}</td>
      <td class="name" role="cell" data-name=${r&&t("point")}>${r}</td>
      ${We.map(d=>{let c=d==="drift"?ie(o.drift===0):"",l=t(`units_${d}`);return i`<td class="number ${c}" role="cell" data-name=${l}>${h(o[d])}</td>`})}</tr>`}};var Ls=1e4,gr=["pointerdown","keydown"],kr=Ne("alarm_sound"),X,vr;function mt(){return X??=new AudioContext,X.resume()}function wr(){vr??=mt().then(()=>{vr=void 0,js()})}function js(){for(let[e,n]of[[0,880],[.25,660]]){let r=X.createOscillator(),o=X.createGain();r.frequency.value=n,o.gain.value=.2,r.connect(o).connect(X.destination),r.start(X.currentTime+e),r.stop(X.currentTime+e+.2)}}function Ds(e){let[,n]=k(0);return P(()=>{if(!e)return;mt();let r=()=>n(o=>o+1);r(),X.addEventListener("statechange",r);for(let o of gr)addEventListener(o,mt,!0);return()=>{X.removeEventListener("statechange",r);for(let o of gr)removeEventListener(o,mt,!0)}},[e]),!X||X.state==="running"}function xr(){let[e,n]=k(localStorage.getItem(kr)==="on");return[e,o=>{localStorage.setItem(kr,o?"on":"off"),n(o),o&&wr()}]}function Nt(e,n){let r=j(0);return{...H(e,async()=>{r.current||=Date.now();try{let s=await n();return r.current=0,s}catch(s){throw s.status<500&&(r.current=0),s}},!0),since:r.current}}function Or({value:e,since:n},{value:r,since:o}){let s=r&&_e([...r.items,...r.totals]),a=[],d=c=>c>0&&Date.now()-c>Ls;return(d(n)||d(o))&&a.push(["stale",t("alarm_stale")]),r&&!r.ok&&a.push(["drift",s>0?t("alarm_drift",{drift:h(s)}):t("account_wrong")]),e?.queue.dead>0&&a.push(["dead",t("alarm_dead",{dead:h(e.queue.dead)})]),a}function Sr({on:e,change:n}){let r=Ds(e);return i`<label class="option sound"><input type="checkbox" id="sound" checked=${e}
      onChange=${o=>n(o.target.checked)} />${t("alarm_sound")}</label>
    <p class="muted" role="status" id="sound-waits">${e&&!r&&t("alarm_waits")}</p>`}function Tr({title:e,reasons:n,on:r}){let o=j(new Set),s=n.map(([a])=>a).join();return P(()=>{document.title=`${n.length>0?`(${n.length}!) `:""}${e} · Onrush`},[e,n.length]),P(()=>{r&&n.some(([a])=>!o.current.has(a))&&wr(),o.current=new Set(n.map(([a])=>a))},[s]),i`<div role="alert" class="alarms">${n.map(([a,d])=>i`<p key=${a} class="problem" id="alarm-${a}">${d}</p>`)}</div>`}var Ut=5,ft=({code:e})=>i`${W("refusal",e).replace(e,"")} <code class="muted below">${e}</code>`;function Pr({stats:e}){let{value:n,error:r,reload:o}=H(3e3,()=>b("GET",`/refusals?minutes=${Ut}`)),s=Object.entries(e.answers).map(([u,y])=>({call:u.split(":")[0],code:u.split(":")[1],n:y})).sort((u,y)=>y.n-u.n),a=Math.max(1,...s.map(({n:u})=>u)),d=({n:u})=>i`<${Qt} value=${u} of=${a} />`,c=[[t("call"),u=>t(`call_${u.call}`)],[t("code"),u=>i`<${ft} code=${u.code} />`,"lead"],[t("share"),d],[t("count"),u=>h(u.n),"number end"]],l=[[t("code"),u=>i`<${ft} code=${u.code} />`,"lead"],[t("count"),u=>h(u.requests),"number end"]],p=[["rooms","room_id"],["share_sources","share_source"]].filter(([u])=>e[u].length);return i`<div class="columns">
    <section><h2>${t("answers")}</h2>
      <${U} name=${t("answers")} rows=${s} columns=${c} empty=${t("answers_none")}
        keyOf=${u=>`${u.call}:${u.code}`} /></section>
    <section><h2>${t("refusals",{minutes:Ut})}</h2>
      <${O} error=${r} retry=${o} />
      ${n&&i`<${U} name=${t("refusals",{minutes:Ut})} rows=${n.items} columns=${l}
        empty=${t("refusals_none")} keyOf=${u=>u.code} />`}</section>
    ${p.map(([u,y])=>i`<${Ms} name=${u} id=${y} stats=${e} />`)}</div>`}function Ms({name:e,id:n,stats:r}){let o=a=>`#/money/orders?${new URLSearchParams({activity_id:r.activity_id,[n]:a[n]})}`,s=[[t(e),a=>i`<a href=${o(a)}>${a[n]}</a>`,"lead"],[t("orders"),a=>h(a.orders),"number end"]];return i`<section><h2>${t(e)}</h2>
    <${U} name=${t(e)} rows=${r[e]} columns=${s} empty="" keyOf=${a=>a[n]} /></section>`}var qr=150,As=300;function It({title:e,times:n,series:r}){let o=j(),s=j(),[a,d]=k(),c=[n.map($=>$/1e3),...r.map($=>$.values)],l=j(c);l.current=c,P(()=>{let $=!1,m=matchMedia("(prefers-color-scheme: dark)"),f=async()=>{let{default:v}=await import("./uplot-2LURMCIS.js");$||(s.current?.destroy(),s.current=new v(Ns(o.current.clientWidth,r,d),l.current,o.current))},_=new ResizeObserver(()=>s.current?.setSize({width:o.current.clientWidth,height:qr}));return f(),m.addEventListener("change",f),_.observe(o.current),()=>{$=!0,m.removeEventListener("change",f),_.disconnect(),s.current?.destroy()}},[]),P(()=>{s.current?.setData(l.current)});let p=a??n.length-1,u=({values:$})=>$[p]==null?"–":h($[p]),y=r.every(({values:$})=>$.filter(m=>m!=null).length<2);return i`<figure class="card chart">
    <figcaption><b>${e}</b>${a!==void 0&&i` <span class="muted">${ze(n[a])}</span>`}${r.map($=>i`
      <span class="line ${$.color}">${$.label} <b>${u($)}</b></span>`)}</figcaption>
    ${y&&i`<p class="muted nothing">${t("chart_empty")}</p>`}
    <div ref=${o} aria-hidden="true"></div></figure>`}function Ns(e,n,r){let o=getComputedStyle(document.documentElement),s=c=>o.getPropertyValue(`--${c}`).trim(),a={stroke:s("muted"),grid:{stroke:s("line"),width:1},ticks:{show:!1},font:"11px system-ui"},d=new Intl.DateTimeFormat(Ue,{hour:"2-digit",minute:"2-digit",hourCycle:"h23"});return{width:e,height:qr,legend:{show:!1},cursor:{y:!1,drag:{x:!1},points:{size:7}},hooks:{setCursor:[({cursor:c})=>r(c.idx??void 0)]},scales:{x:{range:(c,l,p)=>[Math.min(l,p-As),p]},y:{range:(c,l,p)=>[Math.min(0,l),Math.max(1,p*1.1)]}},axes:[{...a,values:(c,l)=>l.map(p=>d.format(p*1e3)),space:70,size:30},{...a,size:52,values:(c,l)=>l.map(p=>Number.isInteger(p)?h(p):"")}],series:[{},...n.map(c=>({stroke:s(c.color),width:2,fill:`${s(c.color)}22`,points:{show:!1},spanGaps:!0}))]}}var Er=5e3,Cr=720;function Lr(e,n){let r=Date.parse(n.server_time);if(e.length&&r-e.at(-1).at<Er)return e;let o=s=>n.partial&&!s?void 0:s;return[...e,{at:r,orders_per_second:o(n.orders_per_second),remaining:fe(n)??null,unpaid:o(n.unpaid),paid:o(n.paid)}].slice(-Cr)}function jr(e,n){let r=e.map(s=>({...s,at:Date.parse(s.at)}));return[...new Map([...n,...r].map(s=>[Math.floor(s.at/Er),s])).values()].sort((s,a)=>s.at-a.at).slice(-Cr)}function Dr({points:e}){let n=e.map(a=>a.at),r=(a,d,c)=>({label:a,color:d,values:c}),o=a=>e.map(d=>d[a]??null),s=(a,d,c)=>i`
    <${It} title=${t(a)} times=${n} series=${[r("",d,c)]} />`;return i`<section class="charts" aria-label=${t("charts")}>
    ${s("orders_per_second","link",o("orders_per_second"))}
    ${s("left","link",o("remaining"))}
    <${It} title=${t("unpaid_paid")} times=${n}
      series=${[r(t("state_unpaid"),"warn",o("unpaid")),r(t("state_paid"),"good",o("paid"))]} />
  </section>`}var Ur=5,Us=100,_t=6e4,Mr=6;async function Ir(e){if(!C("GET /orders"))return;let n=Ie()-e.pay_within_s*1e3+Ur*_t,r=new URLSearchParams({activity_id:e.activity_id,status:"unpaid",to:new Date(n).toISOString(),page_size:String(Us)}),{items:o,next_cursor:s,partial:a}=await b("GET",`/orders?${r}`);return a?void 0:{units:o.flatMap(c=>c.items).reduce((c,l)=>c+l.quantity,0),more:!!s}}function Is(e){let n=e.filter(s=>s.paid!==void 0),r=n.at(-1),o=n.find(s=>r.at-s.at<=_t);if(!(!r||r.at-o.at<_t/6))return Math.max(0,Math.round((r.paid-o.paid)*_t/(r.at-o.at)))}var Rs=(e,n)=>new Intl.NumberFormat(Ue,{style:"percent",maximumFractionDigits:1}).format(e/n),Bs=e=>e?t("peak",{orders:h(e.orders),time:ze(e.at)}):"",Ar=e=>e===1?t("of_order"):t("of_orders",{orders:typeof e=="number"?h(e):e}),Fs=e=>t("room_length",{admitted:h(e.admitted),time:we(e.last_waits_s*1e3)});function Rr({sale:e,skus:n,stats:r,audit:o,coming:s,points:a}){let d=x=>r.partial&&x===0?"–":x,c=x=>r.loaded?me(r.stock,x):"–",l=o?me(o.items,"remaining"):fe(r),p=me(o?o.items:r.stock,"total"),u=r.placed+r.unpaid+r.paid+r.refunded+r.cancelled+r.failed,y=r.paid+r.refunded,$=Is(a),m=s&&(s.more?`${h(s.units)}+`:s.units),f=r.loaded&&n&&ln(e,n,r.stock),_=r.waiting_room,v=[["left",l??"–",t("of_total",{total:h(p)})],["orders_per_second",d(r.orders_per_second),Bs(r.peak)],["paid_units",c("paid"),Ar(d(r.paid))],["held",c("held"),Ar(d(r.unpaid+r.placed))],["revenue",f?un(f):"–",t("revenue_note")],["drift",o?_e(o.items):"–","",o?ie(o.ok):""],["dead",d(r.queue.dead),"",r.queue.dead?"bad":""],["coming_back",m??"–",t("coming_back_note",{minutes:Ur})],["paid_rate",u>0&&!r.partial?Rs(y,u):"–",$===void 0?"":t("paid_minute",{n:h($)})],["state_cancelled",d(r.cancelled)],["in_room",_?_.waiting:"–",_?Fs(_):t("room_none_short")],["queued",d(r.queue.length),t("oldest_age",{time:we(r.queue.oldest_ms)})]];return i`<${Nr} figures=${v.slice(0,Mr)} />
    <details class="more-figures"><summary>${t("more_figures")}</summary>
      <${Nr} figures=${v.slice(Mr)} /></details>`}function Nr({figures:e}){return i`<dl class="figures six">${e.map(([n,r,o,s=""])=>i`
    <div id="figure-${n}" class=${s}><dt>${t(n)}</dt>
      <dd>${typeof r=="number"?h(r):r} <small>${o}</small></dd></div>`)}</dl>`}function Br({children:e}){let n=j();return P(()=>{let o=s=>{let{current:a}=n;!a.contains(s.target)&&!a.querySelector("dialog")&&(a.open=!1)};return addEventListener("pointerdown",o),addEventListener("focusin",o),()=>{removeEventListener("pointerdown",o),removeEventListener("focusin",o)}},[]),i`<details class="menu" ref=${n} onKeyDown=${o=>{o.key!=="Escape"||n.current.querySelector("dialog")||(n.current.open=!1,n.current.querySelector("summary").focus())}}>
    <summary class="button quiet">${t("more_actions")}</summary><div>${e}</div></details>`}var Rt="PATCH /activities/{activity_id}",ht=[.1,.2,.5,1,2,5,10,20,30,50,75,100,150,200,300,500,750,1e3,2e3,5e3,1e4],Gs=e=>ht.reduce((n,r,o)=>Math.abs(r-e)<Math.abs(ht[n]-e)?o:n,0),zs=(e,n,r)=>({waiting:h(e.waiting),admitted:h(e.admitted),time:we((r?e.last_waits_s:e.waiting/n)*1e3),rate:h(n)});function Fr({sale:e,line:n,then:r}){let[o,s]=k();if(!["upcoming","running"].includes(te(e)))return null;let a=e.waiting_room?.paths_per_second??-1,d=a>0,c=o??(d?a:10),l=d&&c===a,p=f=>()=>y(a)({},"",f.version),u=f=>{let _=f.waiting_room?.paths_per_second??-1;return _>0?t("done_room",{rate:h(_)}):t("done_room_ended")},y=f=>(_,v,x)=>b("PATCH",`/activities/${e.activity_id}`,{version:x??e.version,body:{waiting_room:{paths_per_second:f}}}),$=()=>{s(),r()},m=f=>Number(f.target.value)>=.01&&s(Number(f.target.value));return i`<details class="card room" id="room" open=${d}>
    <summary><h2>${t("room")}</h2> <span>${d?t("room_admits",{rate:h(a)}):t("room_none")}
      ${n&&i` <b id="room-line">${t("room_waits",zs(n,c,l))}</b>`}</span></summary>
    ${C(Rt)&&i`<div class="row">
      <label class="slider"><span>${t("room_rate")}</span>
        <input type="range" min="0" max=${ht.length-1} value=${Gs(c)}
          aria-valuetext=${t("room_rate_is",{rate:h(c)})} onInput=${f=>s(ht[f.target.value])} />
      </label>
      <label class="unit"><span class="hidden">${t("room_rate")}</span>
        <input type="number" name="rate" min="0.01" step="any" value=${c} onChange=${m} />
        <span class="muted">${t("a_second")}</span></label></div>
    ${l&&i`<p class="muted">${t("room_same")}</p>`}
    <div class="row">
      ${l?i`<button class="quiet" disabled>${t("room_set")}</button>`:i`<${g} route=${Rt}
            label=${t(d?"room_set":"room_open")} id="room-set" run=${y(c)} then=${$}
            done=${u} undo=${d&&p} />`}
      ${d&&i`<${g} route=${Rt}
          label=${t("room_end")} title=${t("room_end")} help=${t("room_end_help")} kind="danger"
        id="room-end" run=${y(-1)} then=${$} done=${u} undo=${p} />`}</div>`}</details>`}var Ks=e=>te(e)==="running"&&!e.paused_at;function Js({id:e,query:n}){let r=new URLSearchParams(n).get("do"),o=`/activities/${encodeURIComponent(e)}`,[s,a]=xr(),d=H(5e3,()=>b("GET",o)),c=A(()=>G("/skus",{activity_id:e})),l=H(6e4,()=>b("GET",`${o}/history`)),p=H(1e4,async()=>d.value&&Ir(d.value)),u=!!d.value;P(()=>{u&&p.reload()},[u]);let y=j([]),$=Nt(1e3,async()=>{let S=await b("GET",`${o}/stats`);return Jt(S.server_time),y.current=Lr(y.current,S),S}),m=Nt(2e3,()=>b("GET",`${o}/audit`));Wt();let f=d.error??$.error??m.error;if(!d.value)return f?i`<${O} error=${f} retry=${d.reload} />`:i`<${D} />`;let _=()=>{d.reload(),m.reload(),$.reload()},v=jr(l.value?.items??[],y.current),x=`#/money/orders?${new URLSearchParams({activity_id:e})}`;return i`<div class="row heading"><h1>${d.value.title}</h1><${he} sale=${d.value} />
      <span class="muted" role="timer">${bn(d.value)}</span>
      <span class="row actions"><${Pn} sale=${d.value} then=${_} opens=${r==="pause"} />
        <${Tn} sale=${d.value} then=${_} /><${Sn} sale=${d.value} then=${_} />
        <${Br}>${C("GET /orders")&&i`<a id="orders" href=${x}>${t("orders")}</a>`}
          ${C("GET /activities/{activity_id}/report")&&i`<a id="report" href=${gn(d.value)}>${t("report")}</a>`}
          ${C("GET /changes")&&i`<a href="#/changes?${new URLSearchParams({on:`activity:${e}`})}">${t("menu_changes")}</a>`}
          ${C("PUT /activities/{activity_id}")&&i`<a href="#/edit/${e}">${t("edit")}</a>`}
          <${st} sale=${d.value} kind="link" /><${it} sale=${d.value} then=${_} /><//></span></div>
    <div class="row toolbar"><${Sr} on=${s} change=${a} /></div>
    ${d.value.paused_at&&i`<p class="notice warn" id="paused" role="status">
      ${t("sale_paused",{time:q(d.value.paused_at)})}</p>`}
    <${O} error=${f} retry=${_} />
    <${Tr} title=${d.value.title} reasons=${Or($,m)} on=${s} />
    ${$.value?.partial&&i`<p class="notice">${t("partial")}</p>`}
    ${$.value&&i`<${Rr} sale=${d.value} skus=${c.value} stats=${$.value} audit=${m.value}
        coming=${p.value} points=${v} />`}
    <${Fr} sale=${d.value} line=${$.value?.waiting_room} then=${_} />
    <${Dr} points=${v} />
    ${m.value&&i`<${br} audit=${m.value} sale=${d.value} again=${_} />`}
    ${$.value&&i`<${Pr} stats=${$.value} />`}
    ${Gt.dev_tokens&&Ks(d.value)&&i`<${yr} activity=${e} />`}`}function Hs({id:e,query:n}){let r=`/orders/${encodeURIComponent(e)}`,{value:o,error:s,reload:a}=H(5e3,async()=>{let[l,p]=await Promise.all([b("GET",r),C("GET /refunds")?b("GET",`/refunds?order_number=${encodeURIComponent(e)}&page_size=50`):{items:[]}]),u=Ys(l,p.items),y=!u||u.channel==="outside",$=l.items.map(m=>({...m,left:m.quantity-Ws(m,p.items)}));return{order:{...l,items:$,byPayment:!!u,outside:y},refunds:p.items}});if(!o)return s?i`<${O} error=${s} retry=${a} />`:i`<${D} />`;let{order:d,refunds:c}=o;return i`<div class="row heading">
      <h1>${t("order_title",{number:d.order_number})}</h1><${B} state=${d.status} />
      <${di} order=${d} reload=${a} opens=${n==="do=refund"} />
      <${Zs} order=${d} path=${r} reload=${a} />
      <${Qs} order=${d} path=${r} reload=${a} /></div>
    <div class="columns"><${Xs} order=${d} reload=${a} /><${ei} order=${d} /></div>
    <h2>${t("payments")}</h2>
    <${U} name=${t("payments")} rows=${d.payments??[]} columns=${ni()}
      empty=${t("order_payments_none")} keyOf=${l=>l.pay_number} />
    ${C("GET /refunds")&&i`<h2>${t("refunds")}</h2>
    <${U} name=${t("refunds")} rows=${c} columns=${cn(a)} empty=${t("order_refunds_none")}
      keyOf=${l=>l.refund_number} />`}
    <h2>${t("log")}</h2>
    <${U} name=${t("log")} rows=${d.log} columns=${oi()} empty=""
      keyOf=${l=>`${l.at}${l.what}`} />
    <${si} path=${r} notes=${d.notes??[]} reload=${a} />`}function Ws(e,n){let r=n.filter(({reason:o})=>o==="operator").flatMap(o=>o.items??[]);return me(r.filter(({sku_id:o})=>o===e.sku_id),"quantity")}function Vs({status:e,events:n}){return e==="unpaid"?["cancel","mark_paid"]:e==="refunded"&&!n.some(({what:r})=>r==="restocked")?["restock"]:[]}function Qs({order:e,path:n,reload:r}){let o={name:"reason",label:t("why"),required:!0,maxlength:200};return Vs(e).map(s=>i`<${g} key=${s} route=${`POST /orders/{order_number}/${s}`} label=${t(`order_${s}`)}
      title=${t(`order_${s}`)} help=${t(`order_${s}_help`)} fields=${[o]}
      kind=${s==="cancel"?"danger":"quiet"}
      run=${(a,d)=>b("POST",`${n}/${s}`,{key:d,body:a})} then=${r} />`)}function Ys(e,n){let r=o=>n.some(s=>s.pay_number===o.pay_number&&!["operator","refunded_outside"].includes(s.reason));return(e.payments??[]).find(o=>["paid","refunding","refunded"].includes(o.status)&&!r(o))}function Zs({order:e,path:n,reload:r}){if(e.status!=="paid"||!e.outside)return null;let o="order_mark_refunded",s=[{...Jr(e),required:!0},{name:"reference",label:t("refund_reference"),required:!0,maxlength:200},{name:"reason",label:t("why"),required:!0,maxlength:200}],a=({amount:d,reference:c,reason:l},p)=>{let u=K(d,e.currency),y={reference:c,reason:l,...u!==void 0&&{amount:u}};return b("POST",`${n}/mark_refunded`,{key:p,body:y})};return i`<${g} route="POST /orders/{order_number}/mark_refunded" label=${t(o)} title=${t(o)}
    fields=${s} run=${a} then=${r} preview=${d=>Wr(e,d)} />`}function Xs({order:e,reload:n}){let r=o=>L(o,e.currency);return i`<section class="card"><h2>${t("what")}</h2>
    <ul class="items">${e.items.map(o=>i`<li>
      <span>${o.title} × ${o.quantity}</span>
      <span class="row">${r(o.price*o.quantity)}
        <${ci} order=${e} item=${o} reload=${n} /></span>
      ${o.voucher_codes?.map(s=>i`<p class="voucher">
        <a href="#/voucher/${s}"><code>${s}</code></a></p>`)}
      ${o.vouchers_waiting>0&&i`<p class="voucher">${t("vouchers_waiting",{count:h(o.vouchers_waiting)})}</p>`}</li>`)}</ul>
    <dl class="amounts">
      <div><dt>${t("freight")}</dt><dd>${r(e.freight_amount)}</dd></div>
      <div><dt>${t("amount")}</dt><dd>${r(e.total_amount)}</dd></div>
      ${e.refunded_amount>0&&i`
        <div><dt>${t("refunded")}</dt><dd>−${r(e.refunded_amount)}</dd></div>
        <div><dt>${t("amount_left")}</dt><dd>${r(le(e))}</dd></div>`}</dl></section>`}function ei({order:e}){let n=(r,o)=>i`<a href="#/money/orders?${new URLSearchParams({[r]:o})}">${o}</a>`;return i`<section class="card"><h2>${t("facts")}</h2><dl class="facts">
    ${R("buyer",i`<a href="#/user/${encodeURIComponent(e.user_id)}">${e.user_id}</a>`)}
    ${R("sale",e.activity_id&&i`<${ti} id=${e.activity_id} />`)}
    ${R("placed",q(e.placed_at))}
    ${R("pay_before",e.status==="unpaid"&&q(e.pay_before))}
    ${R("paid_at",e.paid_at&&q(e.paid_at))}
    ${R("reason",e.cancel_reason&&W("cancel",e.cancel_reason))}
    ${R("delivery",t(`delivery_${e.delivery}`))}
    ${R("address",e.address&&Vt(e.address))}
    ${R("phone",e.address?.phone)}
    ${R("pickup_point",e.pickup_point_id)}
    ${R("shop",e.shop_id)}
    ${R("point",e.point_id)}
    ${R("client_reference",e.client_reference)}
    ${R("notify_token",e.notify_token)}
    ${dn.map(r=>R(r,e[r]&&n(r,e[r])))}
    ${R("remark",e.remark)}
    ${Object.entries(e.fields??{}).map(([r,o])=>Gr(r,o))}</dl></section>`}function ti({id:e}){let{value:n}=A(async()=>C("GET /activities/{activity_id}")&&b("GET",`/activities/${e}`));return i`<a href="#/live/${e}">${n&&n.title||e}</a>`}var R=(e,n)=>n&&Gr(t(e),n),Gr=(e,n)=>i`<div><dt>${e}</dt><dd>${n}</dd></div>`,ni=()=>[[t("payment"),e=>i`<a href="#/payment/${e.pay_number}">${e.pay_number}</a>`,"lead"],[N(t("made")),e=>i`<${M} at=${e.created_at} />`],[t("channel"),e=>e.channel],[t("amount"),e=>L(e.amount,e.currency),"number"],[t("state"),e=>i`<${B} state=${e.status} />`,"end"]],ri=(e="")=>{let[n,r]=e.split(/:(.*)/);return r===void 0?W("who",e):`${W("who",n)} ${r}`},oi=()=>[[N(t("at")),e=>i`<${M} at=${e.at} />`,"end"],[t("what"),e=>W("log",e.what),"lead"],[t("by"),e=>ri(e.who)],[t("from_address"),e=>e.from??""]];function si({path:e,notes:n,reload:r}){return i`<div class="row heading"><h2>${t("notes")}</h2>
      <${g} route="POST /orders/{order_number}/notes"
        label=${t("write_note")} title=${t("write_note")} help=${t("notes_help")}
        fields=${[{name:"text",label:t("note"),type:"textarea",required:!0,maxlength:1e3}]}
        run=${(o,s)=>b("POST",`${e}/notes`,{key:s,body:o})} then=${r} /></div>
    ${n.length===0&&i`<p class="empty">${t("notes_none")}</p>`}
    <ul class="list">${n.map(o=>i`<li class="card"><b>${o.actor}</b>
      <span class="muted"> ${q(o.at)}</span><p>${o.text}</p></li>`)}</ul>`}function zr(e){return e.voucher_codes?.length>0?e.voucher_codes.map(n=>({name:`voucher_${n}`,label:`${e.title}: ${t("refund_voucher",{code:n})}`,type:"checkbox"})):[{name:`units_${e.sku_id}`,label:t("refund_units",{title:e.title,quantity:e.left}),type:"number",step:1,min:0,max:e.left,initial:0,steps:!0}]}function yt(e,n){let r=(e.voucher_codes??[]).filter(o=>n[`voucher_${o}`]);return{sku_id:e.sku_id,quantity:r.length||Number(n[`units_${e.sku_id}`]??0),...r.length>0&&{voucher_codes:r}}}var le=e=>e.total_amount-(e.refunded_amount??0);function Kr(e,{reason:n,force:r},o,s,a){return b("POST",`/orders/${e.order_number}/refund`,{key:a,body:{reason:n,force:r==="true",...o.length>0&&{items:o},...s!==void 0&&{amount:s}}})}var ii="POST /orders/{order_number}/restock",ai=(e,n,r)=>b("POST",`/orders/${e.order_number}/restock`,{key:`${r}-restock`,body:{reason:n}}),Jr=e=>({name:"amount",label:t("amount"),type:"number",min:0,max:Z(le(e),e.currency),help:t("refund_help",{amount:L(le(e),e.currency)}),presets:[[t("refund_all"),()=>Z(le(e),e.currency)]]});function Hr(e,n){let r=e.items.reduce((o,s)=>o+s.price*yt(s,n).quantity,0);return Math.min(K(n.amount,e.currency)??r,le(e))}function Wr(e,n){try{let r=Hr(e,n);return t(r>0?"refund_preview":"refund_none_yet",{amount:L(r,e.currency)})}catch(r){return r.message}}function di({order:e,reload:n,opens:r}){if(e.status!=="paid"||!e.byPayment)return null;let o=[...e.items.flatMap(zr),Jr(e),{name:"reason",label:t("reason"),maxlength:200},{name:"force",label:t("refund_force"),type:"checkbox"},...C(ii)?[{name:"restock",label:t("refund_restock"),type:"checkbox"}]:[]],s=async(a,d)=>{let c=e.items.map($=>yt($,a)).filter($=>$.quantity>0),l=K(a.amount,e.currency);if(c.length===0&&l===void 0)throw new Error(t("refund_nothing"));let p=Hr(e,a)===le(e);if(a.restock&&!p)throw new Error(t("refund_restock_last"));let u=c.length===0&&p,y=await Kr(e,a,c,u?void 0:l,d);return a.restock&&await ai(e,a.reason||t("refund_order"),d),y};return i`<${g} route="POST /orders/{order_number}/refund"
    label=${t("refund_order")} title=${t("refund_order")} id="refund" kind="danger" opens=${r}
    fields=${o} run=${s} then=${n} preview=${a=>Wr(e,a)} />`}function ci({order:e,item:n,reload:r}){let o=e.items.length+n.quantity===2;if(e.status!=="paid"||o||n.left<1||!e.byPayment)return null;let[s,...a]=zr(n),c=[n.voucher_codes?.length>0?s:{...s,min:1,initial:1,required:!0},...a,{name:"reason",label:t("reason"),maxlength:200}],l=(u,y)=>{let $=yt(n,u);if($.quantity===0)throw new Error(t("refund_nothing"));return Kr(e,u,[$],void 0,y)},p=u=>t("refund_preview",{amount:L(Math.min(n.price*yt(n,u).quantity,le(e)),e.currency)});return i`<${g} route="POST /orders/{order_number}/refund"
    label=${t("refund_line")} title=${t("refund_line_title",{title:n.title})}
    id="refund-${n.sku_id}" fields=${c} run=${l} then=${r} preview=${p} />`}var Bt=e=>`/points/${encodeURIComponent(e)}`,li=e=>e.split(/[,，、;；\n]/).map(n=>n.trim()).filter(Boolean),ui=(e,n)=>n?Z(e,n):e,Vr=(e,n)=>[...e?[]:[{name:"point_id",label:t("point_id"),required:!0,...ne}],{name:"name",label:t("name"),required:!0,maxlength:200,initial:e?.name},{name:"regions",label:t("regions"),help:t("regions_help"),type:"textarea",initial:e?.regions.join(", ")},{name:"freight_extra",label:t("freight_extra"),help:n??t("minor_units"),type:"number",min:0,initial:ui(e?.freight_extra??0,n)},{name:"pickup",label:t("pickup"),type:"checkbox",initial:e?.pickup},{name:"address",label:t("point_address"),help:t("point_address_help"),type:"textarea",maxlength:200,initial:e?.address},{name:"hours",label:t("point_hours"),maxlength:200,help:t("point_hours_help"),initial:e?.hours}],Qr=(e,n)=>(r,o,s)=>Ke(e,Bt(e?.point_id??r.point_id),{body:{name:r.name,regions:li(r.regions),pickup:r.pickup==="true",address:r.address,hours:r.hours,freight_extra:(n?K(r.freight_extra,n):Number(r.freight_extra))??0}},s);function pi(e){let n=new Set(e.map(r=>r.currency));return n.size===1?[...n][0]:void 0}function $i({claims:e}){return i`<${O} error=${e.error} retry=${e.reload} />
    ${(e.value?.items??[]).map(({region:n,point_ids:r})=>i`<p class="notice" key=${n}>
      ${t("region_shared",{region:n,points:r.join(", "),wins:r[0]})}</p>`)}
    ${e.value?.next_cursor&&i`<p class="notice">…</p>`}`}function mi({query:e}){let{value:n,error:r,reload:o}=A(()=>G("/skus"));if(!n)return r?i`<${O} error=${r} retry=${o} />`:i`<${D} />`;let s=new URLSearchParams(e).get("point_id"),a=pi(n);return s?i`<${fi} id=${s} currency=${a} />`:i`<${_i} currency=${a} />`}var fi=({id:e,currency:n})=>i`<${Yr} points=${He(Bt(e))} currency=${n}>
  <p><a href="#/points">${t("all_points")}</a></p><//>`,_i=({currency:e})=>i`<${Yr} points=${F("/points")} currency=${e} />`;function Yr({points:e,currency:n,children:r}){let o=A(()=>b("GET","/regions?shared=true&page_size=20")),s={...e,reload:()=>{e.reload(),o.reload()}},a=[[t("point"),d=>i`<b>${d.name}</b><p class="muted"><code>${d.point_id}</code></p>`,"lead wide"],[t("regions"),d=>d.regions.length?d.regions.join(", "):t("regions_rest"),"wide"],[t("freight_extra"),d=>n?L(d.freight_extra,n):d.freight_extra,"number named"],[t("pickup"),d=>i`${d.pickup?t("yes"):t("no")}
        ${[d.address,d.hours].filter(Boolean).map(c=>i`<p class="muted">${c}</p>`)}`,"wide named"],["",d=>i`<div class="row actions">
      <${g} route="PUT /points/{point_id}"
        label=${t("edit")} title=${t("edit")} fields=${Vr(d,n)} run=${Qr(d,n)}
        then=${s.reload} />
      ${d.point_id!=="0"&&i`<${g} route="DELETE /points/{point_id}" label=${t("delete")} kind="danger"
        title=${t("delete_title",{name:d.name})} help=${t("delete_point_help")} then=${s.reload}
        run=${(c,l,p=d.version)=>b("DELETE",Bt(d.point_id),{version:p})} />`}</div>`,"tools"]];return i`<div class="row heading"><h1>${t("menu_points")}</h1>
      <${g} route="PUT /points/{point_id}"
        label=${t("new_point")} title=${t("new_point")} kind="go" fields=${Vr(void 0,n)}
        run=${Qr(void 0,n)} then=${s.reload} /></div>
    ${r}<p class="muted">${t("points_help")}</p><${$i} claims=${o} />
    <${z} list=${s} name=${t("menu_points")} columns=${a} empty=${t("points_none")}
      keyOf=${d=>d.point_id} />`}function hi(){let{value:e,error:n,reload:r}=H(2e3,()=>b("GET","/queue"));if(!e)return n?i`<${O} error=${n} retry=${r} />`:i`<${D} />`;let o=[[t("lane"),a=>t("lane_number",{n:a.lane}),"lead"],[t("queued"),a=>h(a.length),"number named"],[t("oldest"),a=>a.length?Je(a.oldest_ms):"–","number named"],[t("dead"),a=>i`<span class=${a.dead?"bad":""}>${h(a.dead)}</span>`,"number named"],[t("oldest_dead"),a=>a.dead?Je(a.oldest_dead_ms):"–","number named"],[t("note"),a=>a.newer_records?t("newer_records"):"","wide"]],s=e.items.filter(a=>a.length||a.dead||a.newer_records);return i`<h1>${t("menu_queue")}</h1><p class="muted">${t("queue_help")}</p>
    <${U} name=${t("menu_queue")} columns=${o} rows=${s} keyOf=${a=>a.lane}
      empty=${t("queue_none",{lanes:e.items.length})} />
    ${C("GET /queue/dead")&&i`<${yi} reload=${r} />`}`}function yi({reload:e}){let[n,r]=k({reason:""}),o=F("/queue/dead",n),s=()=>{o.reload(),e()},a=[...new Set(o.items.map(d=>d.reason))];return i`<h2>${t("dead_title")}</h2>
    <div class="row">
      <${ee} fields=${[{name:"reason",label:t("reason"),maxlength:64}]} values=${n}
        change=${r} />
      ${a.map(d=>i`<${bi} key=${d} reason=${d} then=${s} />`)}</div>
    <${z} list=${o} name=${t("dead_title")} columns=${gi(s)} empty=${t("dead_none")}
      keyOf=${d=>d.dead_id} />`}function bi({reason:e,then:n}){let r=t("replay_reason",{reason:W("dead",e)});return i`<${g} route="POST /queue/dead:replay" label=${r} title=${r} help=${t("replay_help")}
    run=${(o,s)=>b("POST","/queue/dead:replay",{key:s,body:{reason:e}})} then=${n} />`}function gi(e){return[[t("order"),n=>n.order_number??n.dead_id,"lead"],[t("buyer"),n=>n.user_id??"–","cut"],[t("reason"),n=>i`<b>${W("dead",n.reason)}</b><p class="muted">${n.detail}</p>`,"wide"],[t("age"),n=>n.at?Je(sn(n.at)):"–","number end"],["",n=>i`<div class="row actions">
      <${g} route="POST /queue/dead/{dead_id}/replay" label=${t("replay")} id="replay-${n.dead_id}"
        run=${(r,o)=>b("POST",`/queue/dead/${n.dead_id}/replay`,{key:o})} then=${e} />
      <${g} route="POST /queue/dead/{dead_id}/discard" label=${t("discard")} title=${t("discard_title")}
        help=${t("discard_help")} kind="danger"
        run=${(r,o)=>b("POST",`/queue/dead/${n.dead_id}/discard`,{key:o})} then=${e} /></div>`,"tools"]]}function ki({id:e}){let n=`/activities/${encodeURIComponent(e)}/report`,{value:r,error:o,reload:s}=A(()=>b("GET",n),[n]);return r?i`<div class="report"><div class="row heading"><h1>${t("report_of",{sale:r.title})}</h1>
      <${he} sale=${r} />
      <span class="row actions"><a href=${et(r)}>${t("report_live")}</a>
        <${g} label=${t("download")} run=${()=>Ve(`${n}.csv?bom=1`,`report-${e}.csv`)} done=${null} />
        <button class="quiet" id="print" onClick=${()=>window.print()}>${t("print")}</button></span></div>
    <p class="muted">${q(r.starts_at)} – ${q(r.ends_at)}<br />
      ${t("report_made",{time:q(r.made_at)})}</p>
    ${!r.settled&&i`<p class="notice" id="unsettled">${vi(r)}</p>`}
    <${wi} report=${r} /><${xi} report=${r} /><${Si} traffic=${r.traffic} /></div>`:o?i`<${O} error=${o} retry=${s} />`:i`<${D} />`}function vi({placed:e,totals:n}){return e===void 0?t("report_queue_unknown"):t("report_unsettled",{placed:h(e),unpaid:h(n.unpaid_orders)})}function wi({report:{totals:e,offered_units:n,currency:r,traffic:o}}){let s=c=>L(c,r),a=c=>c===1?t("of_order"):t("of_orders",{orders:h(c)}),d=[["paid_units",h(e.paid_units),t("of_total",{total:h(n)})],["report_paid",s(e.paid_amount),a(e.paid_orders)],["refunded",s(e.refunded_amount),t("report_whole",{orders:h(e.refunded_orders)})],["report_net",s(e.net_amount),t("report_net_note")],["state_unpaid",s(e.unpaid_amount),a(e.unpaid_orders)],["state_cancelled",s(e.cancelled_amount),a(e.cancelled_orders)],["state_failed",h(e.failed_orders),t("report_failed_note")],["report_peak",o.peak?h(o.peak.orders):"–",o.peak?q(o.peak.at):t(`report_peak_${o.state}`)]];return i`<dl class="figures three">${d.map(([c,l,p])=>i`
    <div id="figure-${c}"><dt>${t(c)}</dt><dd>${l} <small>${p}</small></dd></div>`)}</dl>`}function xi({report:e}){let{currency:n,skus:r,points:o,times:s,rooms:a,share_sources:d}=e,c=[[t("orders"),u=>h(u.sums.orders),"number named"],[t("paid_units"),u=>h(u.sums.paid_units),"number named"],[t("report_unpaid_units"),u=>h(u.sums.unpaid_units),"number named"],[t("report_cancelled_units"),u=>h(u.sums.cancelled_units),"number named"],[t("report_paid"),u=>L(u.sums.paid_amount,n),"number named"],[t("refunded"),u=>L(u.sums.refunded_amount,n),"number named"],[t("report_net"),u=>L(u.sums.net_amount,n),"number end"]],l=[t("report_offered"),u=>h(u.offered_units),"number named"],p=(u,y,$,m,f=[])=>i`<section><h2>${u}</h2>
    <${U} name=${u} rows=${y} columns=${[$,...f,...c]} empty=${t("report_none")} keyOf=${m} />
    </section>`;return i`
    ${p(t("report_skus"),r,[t("sku"),Oi,"lead wide"],u=>u.sku_id,[l])}
    ${p(t("report_points"),o,[t("point"),u=>u.point_id,"lead"],u=>u.point_id,[l])}
    ${p(t(`report_every_${s.every_s}`),s.items,[N(t("report_placed")),u=>i`<${M} at=${u.at} />`,"lead"],u=>u.at)}
    <div class="columns"><${Zr} name=${t("share_sources")} sources=${d} />
      <${Zr} name=${t("rooms")} sources=${a} /></div>`}var Oi=({sku_id:e,title:n})=>i`${n} <code class="muted below">${e}</code>`;function Zr({name:e,sources:{items:n,others:r,without:o}}){if(n.length===0)return null;let s=[[t("report_others"),r],[t("report_without"),o]].filter(([,c])=>c>0),a=[...n.map(c=>[c.name,c.orders]),...s],d=[[e,([c])=>c,"lead"],[t("orders"),([,c])=>h(c),"number end"]];return i`<section><h2>${e}</h2><${U} name=${e} rows=${a} columns=${d} empty=""
    keyOf=${([c])=>c} /></section>`}function Si({traffic:e}){let{state:n,paths:r,submits:o,refusals:s,early_places:a}=e,d=[[t("code"),c=>i`<${ft} code=${c.code} />`,"lead"],[t("call_path"),c=>h(c.paths),"number named"],[t("call_submit"),c=>h(c.submits),"number named"]];return i`<section id="traffic"><h2>${t("report_traffic")}</h2>
    ${n==="kept"?i`<p>${t("report_requests",{paths:h(r),submits:h(o)})}
        ${a&&i` ${t("report_early",{n:h(a)})}`}</p>
      <${U} name=${t("report_traffic")} rows=${s} columns=${d} empty=${t("report_refused_none")}
        keyOf=${c=>c.code} />`:i`<p class="notice">${t(`report_traffic_${n}`)}</p>`}</section>`}var Ft="PATCH /settings",Ti=["limits","limit_user","limit_address","limit_network","limit_strangers","limit_instance","limit_routes"],Pi=["limit_routes","image_hosts"],qi=["full","no_streams","no_lists","only_placing"],Xr={degrade:()=>qi.map(e=>[e,t(`degrade_${e}`)]),limits:()=>["on","dry_run","off"].map(e=>[e,t(`limits_${e}`)]),log:()=>["debug","info","warn","error"].map(e=>[e,e])};function eo(e,n){return e==="degrade"||e==="limits"?t(`${e}_${n}`):Array.isArray(n)?n.join(", ")||"none":n}function Ei(e,n=""){return Pi.includes(e)&&n?n.split(/\s*,\s*/):n.trim()||null}function Ci({query:e}){let{value:n,error:r}=_n(),o=St;if(P(()=>{St()},[]),!n)return r?i`<${O} error=${r} retry=${o} />`:i`<${D} />`;let{set:s,in_force:a}=n,d=l=>i`<${g} route=${Ft} label=${t("change_setting")} id="set-${l}"
    title=${t(`setting_${l}`)} help=${t(`setting_${l}_help`)} then=${o}
    done=${t("done_setting",{setting:t(`setting_${l}`)})} undo=${Xe({[l]:s[l]??null})}
    fields=${[Xr[l]?{name:"value",of:l,label:t("value"),options:Xr[l](),initial:a[l]}:{name:"value",of:l,label:t("value"),help:t("setting_empty"),initial:eo(l,s[l]??"")}]}
    run=${({value:p},u,y)=>Ze({[l]:Ei(l,p)})({},u,y)} />`,c=[[t("setting"),l=>i`<b>${t(`setting_${l}`)}</b>
      <p class="muted">${t(`setting_${l}_help`)}</p>`,"lead wide"],[t("value"),l=>i`${eo(l,a[l])}
      <p class="muted">${t(s[l]===void 0?"setting_environment":"setting_operators")}</p>`],["",l=>i`<div class="row actions">${d(l)}
      ${s[l]!==void 0&&i`<${g} route=${Ft} label=${t("unset")} id="unset-${l}" run=${Ze({[l]:null})}
          then=${o} done=${t("done_setting",{setting:t(`setting_${l}`)})}
          undo=${Xe({[l]:s[l]})} />`}</div>`,"tools"]];return i`<h1>${t("menu_settings")}</h1><p class="muted">${t("settings_help")}</p>
    <section class="card" id="all-sales"><h2>${t("all_sales")}</h2>
      <p><${B} state=${a.sales_stopped?"stopped":"ok"} />
        ${t(a.sales_stopped?"sales_are_stopped":"sales_go_on")}</p>
      <div class="row">${a.sales_stopped?i`<${hn} id="go-on" kind="go" />`:i`<${g} route=${Ft} label=${t("stop_sales")} kind="danger" id="stop-sales"
            opens=${e==="do=stop"}
            title=${t("stop_sales_title")} help=${t("stop_sales_help")} run=${Ze({sales_stopped:!0})}
            then=${o} done=${t("done_stopped")} undo=${Xe({sales_stopped:null})} />`}</div></section>
    ${n.pending&&i`<p class="note">${t("settings_pending")}</p>`}
    ${a.limits!=="on"&&i`<p class="note">${t(`limits_are_${a.limits}`)}</p>`}
    <${O} error=${r} />
    <${U} name=${t("menu_settings")} columns=${c} rows=${["degrade",...Ti,"image_hosts","log"]}
      keyOf=${l=>l} />`}function Li({id:e}){let n=`/users/${encodeURIComponent(e)}`,{value:r,error:o,reload:s}=A(()=>b("GET",`${n}/trail`),[e]),a=new URLSearchParams({user_id:e});return i`<div class="row heading"><h1>${t("user_title",{user:e})}</h1>
      <a class="button quiet" href="#/money/orders?${a}">${t("orders_all")}</a>
      <${g} route="GET /users/{user_id}/export" label=${t("user_export")} done=${null}
        run=${()=>Ve(`${n}/export`,"user.json")} />
      <${Ai} path=${n} user=${e} then=${s} /></div>
    <${O} error=${o} retry=${s} />
    ${r?i`<${ji} trail=${r} />`:!o&&i`<${D} />`}`}function ji({trail:e}){return i`${e.partial&&i`<p class="notice">${t("trail_partial")}</p>`}
    <h2>${t("trail_refusals")}</h2>
    <p class="muted">${t("trail_help")}</p>
    <${U} name=${t("trail_refusals")} rows=${e.refusals} columns=${Di()}
      empty=${t("trail_refusals_none")}
      keyOf=${n=>`${n.instance}${n.first_request_id}${n.first_at}`} />
    <h2>${t("trail_orders")}</h2>
    <${U} name=${t("trail_orders")} rows=${e.orders} columns=${Mi()} empty=${t("trail_orders_none")}
      keyOf=${n=>n.order_number} />`}var Di=()=>[[N(t("trail_last")),e=>i`<${M} at=${e.last_at} />`,"lead"],[t("sale"),e=>e.activity_id&&i`<a href="#/live/${e.activity_id}">${e.activity_id}</a>`,"cut"],[t("sku"),e=>e.sku_id&&i`<code>${e.sku_id}</code>`,"cut"],[t("trail_answer"),e=>e.detail||e.code,"wide"],[t("code"),e=>i`<code>${e.code}</code>`],[t("trail_request"),e=>i`<code>${e.method} ${e.path}</code>`,"cut"],[t("trail_count"),e=>h(e.count),"number named"],[t("trail_request_id"),e=>i`<code>${e.last_request_id}</code>`,"cut named"],[t("trail_key"),e=>e.idempotency_key&&i`<code>${e.idempotency_key}</code>`,"cut named"]],Mi=()=>[[t("order"),e=>i`<a href="#/order/${e.order_number}">${e.order_number}</a>`,"lead"],[N(t("placed")),e=>i`<${M} at=${e.placed_at} />`],[t("what"),e=>e.items.map(n=>`${n.title} × ${n.quantity}`).join(", "),"cut"],[t("amount"),e=>L(e.total_amount,e.currency),"number"],[t("state"),e=>i`<${B} state=${e.status} />`,"end"]];function Ai({path:e,user:n,then:r}){let o=[{name:"confirm",label:t("type_to_confirm",{what:n}),required:!0,maxlength:64}];return i`<${g} route="POST /users/{user_id}/erase" label=${t("user_erase")} kind="danger"
    title=${t("user_erase_title",{user:n})} help=${t("user_erase_help")} fields=${o}
    run=${(s,a)=>b("POST",`${e}/erase`,{key:a,body:s})} then=${r} />`}function Ni({id:e}){let n=`/vouchers/${encodeURIComponent(e)}`,{value:r,error:o,reload:s}=A(()=>b("GET",n));return r?i`<div class="row heading"><h1>${t("voucher_title",{code:e})}</h1><${B} state=${r.status} />
      ${r.status==="active"&&i`<${g} route="POST /vouchers/{code}/redeem" label=${t("redeem")} kind="go" title=${t("redeem")}
        fields=${[{name:"where",label:t("where"),required:!0,maxlength:100}]}
        run=${(a,d)=>b("POST",`${n}/redeem`,{key:d,body:a})} then=${s} />`}</div>
    <section class="card"><dl class="facts">
      <div><dt>${t("what")}</dt><dd>${r.title}</dd></div>
      <div><dt>${t("order")}</dt><dd><a href="#/order/${r.order_number}">${r.order_number}</a></dd></div>
      <div><dt>${t("buyer")}</dt><dd>${r.user_id}</dd></div>
      ${r.redeemed_at&&i`<div><dt>${t("redeemed")}</dt>
        <dd>${q(r.redeemed_at)}, ${r.redeemed_where}, ${r.redeemed_by}</dd></div>`}</dl></section>`:o?i`<${O} error=${o} retry=${s} />`:i`<${D} />`}var Ui=6,Ii=150,Ri={order:e=>`#/order/${e}`,payment:e=>`#/payment/${e}`,refund:e=>`#/money/refunds?refund_number=${encodeURIComponent(e)}`,user:e=>`#/user/${encodeURIComponent(e)}`,refusal:(e,n)=>`#/user/${encodeURIComponent(n)}`,voucher:e=>`#/voucher/${encodeURIComponent(e)}`},Me=(e,n,r=n)=>({kind:"action",id:r,title:e,href:n});function Bi(e){let n=e.filter(r=>["running","upcoming"].includes(te(r))&&!r.paused_at);return[C("PATCH /settings")&&Me(t("stop_sales"),"#/settings?do=stop"),C("GET /orders")&&Me(t("refund_an_order"),"#/money/orders?status=paid"),C("PUT /activities/{activity_id}")&&Me(t("new_sale"),"#/edit"),...(C("POST /activities/{activity_id}/pause")?n:[]).map(r=>Me(`${t("pause_sale")}: ${r.title}`,`#/live/${r.activity_id}?do=pause`))].filter(Boolean)}var Fi=e=>e.filter(({kind:n})=>n==="order"&&C("POST /orders/{order_number}/refund")).map(({id:n})=>Me(`${t("refund_order")}: ${n}`,`#/order/${n}?do=refund`));async function Gi(){let[e,n,r]=await Promise.all([G("/activities"),G("/skus"),G("/points")]),o=(s,a,d,c,l)=>({kind:s,id:a,title:d,href:c,state:l});return[...e.map(s=>o("sale",s.activity_id,s.title,et(s),yn(s))),...n.map(s=>o("sku",s.sku_id,s.title,`#/goods?${new URLSearchParams({sku_id:s.sku_id})}`)),...r.map(s=>o("point",s.point_id,s.name,`#/points?${new URLSearchParams({point_id:s.point_id})}`)),...Bi(e)]}function zi(e,n){let r=n.toLowerCase().split(/\s+/).filter(Boolean);if(r.length===0)return[];let o={};return e.filter(({kind:s,id:a,title:d})=>{let c=(s==="action"?d:`${d} ${a}`).toLowerCase();return r.every(l=>c.includes(l))?(o[s]=(o[s]??0)+1,o[s]<=Ui):!1})}function Ki(e){let[n,r]=k({of:"",hits:[]});return P(()=>{if(!e)return;let o=!0,s=setTimeout(async()=>{try{let{items:a}=await b("GET",`/search?q=${encodeURIComponent(e)}`),d=a.map(({kind:c,id:l,user_id:p})=>({kind:c,id:l,title:p??l,href:Ri[c](l,p)}));o&&r({of:e,hits:[...d,...Fi(a)]})}catch(a){o&&r({of:e,hits:[],error:a})}},Ii);return()=>{o=!1,clearTimeout(s)}},[e]),n.of===e?n:{hits:[],waits:!!e}}var bt=e=>`${e.kind} ${e.id}`;function Ji(e){let[,n]=k(""),r=j(""),o=Math.max(0,e.findIndex(a=>bt(a)===r.current));return r.current=e[o]?bt(e[o]):"",{at:o,mark:a=>{r.current=a?bt(a):"",n(r.current)}}}function Hi({close:e}){let[n,r]=k(""),[o,s]=k(!1),a=A(Gi),d=Ki(n.trim()),c=[...d.hits,...zi(a.value??[],n)],{at:l,mark:p}=Ji(c),u=d.waits||!!n.trim()&&!a.value&&!a.error,y=f=>{e(),Re(f.href)};P(()=>{!o||u||(s(!1),c.length>0&&y(c[0]))},[o,u]);let $=f=>{let _={ArrowDown:1,ArrowUp:-1}[f.key];_&&c.length>0?(f.preventDefault(),p(c[(l+_+c.length)%c.length])):f.key==="Enter"&&(f.preventDefault(),c[l]?y(c[l]):s(u))},m=f=>{r(f.target.value),p(),s(!1)};return i`<${J} title=${t("search_short")} close=${e}><div class="finder">
    <input id="search" type="text" enterkeyhint="go" maxlength="128" autocomplete="off" autofocus role="combobox"
      aria-expanded="true" aria-controls="hits" aria-autocomplete="list" aria-label=${t("search")}
      aria-activedescendant=${c[l]&&`hit-${l}`} value=${n} onInput=${m} onKeyDown=${$} />
    <${O} error=${d.error??a.error} />
    <ul id="hits" role="listbox" aria-label=${t("search_hits")}>${c.map((f,_)=>i`<li id="hit-${_}" key=${bt(f)} role="option" aria-selected=${_===l}
        onClick=${()=>y(f)} onMouseMove=${()=>p(f)}>
        <span class="muted kind">${t(`hit_${f.kind}`)}</span><b>${f.title}</b>
        ${f.title!==f.id&&f.kind!=="action"&&i`<code class="muted">${f.id}</code>`}
        ${f.state&&i`<${B} state=${f.state} />`}</li>`)}</ul>
    <p class="muted" role="status">${Wi(n.trim(),u,c)}</p></div>
    <button type="button" class="quiet" onClick=${e}>${t("close")}</button><//>`}function Wi(e,n,r){return e?n?`${t("loading")} …`:r.length===0?t("search_none"):"":t("search_help")}Kt({en:kn,zh:vn});export{ao as Blocked,$o as Changes,fo as Deliveries,Vo as Edit,oo as Endpoints,ys as Goods,so as Jobs,xs as Keys,Js as Live,no as Money,Hs as Order,ro as Payment,mi as Points,hi as Queue,ki as Report,io as Sales,Hi as SearchDialog,Ci as Settings,Li as User,Ni as Voucher};
